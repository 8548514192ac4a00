// The door of the SQL room: what a query says, and the processes that databases are asked from.
export { type Wanted, wantedAt, written } from './cursor.ts';
export { type Dialect, tokensOf } from './lexer.ts';
export { createSqlProcesses, type SqlProcesses } from './processes.ts';
export {
  columnsSql,
  type Description,
  describeSql,
  functionsSql,
  type OpenConnection,
  previewSql,
  probeSql,
  runSql,
  type StoredResult,
  schemaSql,
  type ValueFile,
  weighSql,
} from './requests.ts';
export { keywords, readSql, type SqlBody } from './statements.ts';
