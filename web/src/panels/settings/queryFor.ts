// A cell that shows a table of a connection, as most people would begin.
import type { DatabaseTable } from '../../api/index.ts';

/** Schemas that a database takes when nobody names one. */
const usualSchemas: Readonly<Record<string, string>> = { duckdb: 'main', postgresql: 'public', sqlite: 'main' };

export function queryFor(connection: string, driver: string, { schema, name }: DatabaseTable): string {
  const isUsual = schema === null || schema === usualSchemas[driver];
  const mark = driver === 'bigquery' ? '`' : '"';
  const parts = isUsual ? [name] : [schema, name];
  // What an unquoted name is folded to differs from one database to the next.
  const plain = driver === 'snowflake' ? /^[A-Z_][A-Z0-9_]*$/ : /^[a-z_][a-z0-9_]*$/;
  const written = parts.map((part) =>
    plain.test(part) && !reserved.has(part.toLowerCase())
      ? part
      : `${mark}${part.replaceAll(mark, mark + mark)}${mark}`,
  );
  return `# @sql connection=${connection}\nSELECT *\nFROM ${written.join('.')}\nLIMIT 100`;
}

const reserved: ReadonlySet<string> = new Set(
  'all and as case check column create default desc distinct else end from group having in index into is join limit not null on or order primary references select set table then to union unique user using values when where with'.split(
    ' ',
  ),
);
