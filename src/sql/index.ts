// The door of the SQL room: what a query says, and the processes that databases are asked from.
export { type Dialect, tokensOf } from './lexer.ts';
export { createSqlProcesses, type SqlProcesses } from './processes.ts';
export {
  type Description,
  describeSql,
  type OpenConnection,
  probeSql,
  runSql,
  type StoredResult,
  schemaSql,
  type ValueFile,
  weighSql,
} from './requests.ts';
export { readSql, type SqlBody } from './statements.ts';
