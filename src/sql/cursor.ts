// What somebody who writes a query is about to name: a table, a column, a file, a value of another cell.
import { type Dialect, type Token, tokensOf } from './lexer.ts';
import { keywords } from './statements.ts';

export interface Wanted {
  readonly kind: 'table' | 'column' | 'member' | 'file' | 'value';
  /** Where the name begins that is being written. */
  readonly from: number;
  readonly prefix: string;
  /** What stands before the dot, for members. */
  readonly of: string;
  /** The tables of the statement, each with the name that it goes by there. */
  readonly tables: readonly NamedTable[];
}

export interface NamedTable {
  /** Without the names before it. */
  readonly name: string;
  readonly alias: string;
  readonly isFile: boolean;
}

const mark = 'x';
const beforeTables = /^(?:from|join|into|update|table|describe|summarize|pivot|unpivot)$/i;
const afterTables =
  /^(?:where|group|order|having|limit|on|using|select|set|values|qualify|window|union|except|intersect)$/i;

/** Undefined where nothing can be named: in a comment, a text or a number. */
export function wantedAt(body: string, offset: number, dialect: Dialect): Wanted | undefined {
  const tokens = tokensOf(body.slice(0, offset) + mark, dialect);
  const last = tokens.at(-1);
  if (!last || last.start + last.text.length !== offset + mark.length) return undefined;
  const prefix = last.text.slice(0, -mark.length);
  const statement = statementAround(tokensOf(body, dialect), offset);
  const place = { from: last.start, prefix, of: '', tables: tablesIn(statement) };
  const before = tokens.at(-2);
  if (last.kind === 'string')
    return isTablePlace(tokens.slice(0, -1))
      ? { ...place, kind: 'file', from: last.start + 1, prefix: prefix.slice(1) }
      : undefined;
  if (last.kind === 'parameter') return { ...place, kind: 'value', from: last.start + 1, prefix: prefix.slice(1) };
  if (last.kind === 'name') {
    const written = { ...place, prefix: prefix.slice(1) };
    return { ...written, kind: isTablePlace(tokens.slice(0, -1)) ? 'table' : 'column' };
  }
  if (last.kind !== 'word') return undefined;
  if (before?.text === '.') return { ...place, kind: 'member', of: plainName(tokens.at(-3)?.text ?? '') };
  return { ...place, kind: isTablePlace(tokens.slice(0, -1)) ? 'table' : 'column' };
}

/** Whether a table comes next: after FROM and its like, and after commas of such a list. */
function isTablePlace(before: readonly Token[]): boolean {
  const last = before.at(-1);
  if (!last) return false;
  if (last.kind === 'word') return beforeTables.test(last.text);
  if (last.text !== ',') return false;
  for (const { kind, text } of before.toReversed()) {
    if (text === '(' || text === ')') return false;
    if (kind !== 'word') continue;
    if (beforeTables.test(text)) return true;
    if (afterTables.test(text)) return false;
  }
  return false;
}

function statementAround(tokens: readonly Token[], offset: number): Token[] {
  const ends = tokens.filter(({ kind, text }) => kind === 'sign' && text === ';').map(({ start }) => start);
  const begin = ends.findLast((end) => end < offset) ?? -1;
  const end = ends.find((one) => one >= offset) ?? Number.POSITIVE_INFINITY;
  return tokens.filter(({ start }) => start > begin && start < end);
}

function tablesIn(statement: readonly Token[]): NamedTable[] {
  const found: NamedTable[] = [];
  for (let at = 0; at < statement.length; at += 1) {
    if (!isTablePlace(statement.slice(0, at))) continue;
    let token = statement[at];
    if (!token || !/^(?:word|name|string)$/.test(token.kind)) continue;
    while (statement[at + 1]?.text === '.' && statement[at + 2]) {
      at += 2;
      token = statement[at];
    }
    if (!token) continue;
    const name = plainName(token.text);
    const next = statement[at + 1]?.text.toUpperCase() === 'AS' ? statement[at + 2] : statement[at + 1];
    const isAlias = next?.kind === 'name' || (next?.kind === 'word' && !keywords.has(next.text.toUpperCase()));
    found.push({ name, alias: isAlias && next ? plainName(next.text) : name, isFile: token.kind === 'string' });
  }
  return found;
}

const plainName = (text: string): string => (/^['"`]/.test(text) ? text.slice(1, -1).replaceAll('""', '"') : text);

const plain: Readonly<Record<Dialect, RegExp>> = {
  sqlite: /^[A-Za-z_]\w*$/,
  duckdb: /^[A-Za-z_]\w*$/,
  bigquery: /^[A-Za-z_]\w*$/,
  postgres: /^[a-z_][a-z0-9_]*$/,
  snowflake: /^[A-Z_][A-Z0-9_]*$/,
};

/** A name as it is written in a query. */
export function written(name: string, dialect: Dialect): string {
  if (plain[dialect].test(name) && !keywords.has(name.toUpperCase())) return name;
  return dialect === 'bigquery' ? `\`${name}\`` : `"${name.replaceAll('"', '""')}"`;
}
