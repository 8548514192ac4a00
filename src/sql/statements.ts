// A SQL body as the database gets it: statements of their own, each parameter a place for a value that travels beside the
// text. In DuckDB a parameter after FROM or JOIN is a table of another cell.
import { createHash } from 'node:crypto';
import { type Dialect, type Token, tokensOf } from './lexer.ts';

export interface Statement {
  readonly text: string;
  /** The names whose values belong to its places, in order. */
  readonly binds: readonly string[];
}

export interface SqlBody {
  readonly statements: readonly Statement[];
  /** Every parameter once, in order: what the cell reads of others. */
  readonly references: readonly string[];
  /** Those that stand for tables. */
  readonly tables: readonly string[];
  /** Layout, comments and the case of keywords leave it as it is. */
  readonly digest: string;
}

export function readSql(body: string, dialect: Dialect): SqlBody {
  const groups = split(tokensOf(body, dialect));
  const tables = new Set<string>();
  const references = new Set<string>();
  const statements = groups.map((tokens) => statementOf(body, tokens, dialect, references, tables));
  const spelled = groups.map((tokens) =>
    tokens.map(({ kind, text }) => [kind, kind === 'word' ? keyword(text) : text]),
  );
  return {
    statements,
    references: [...references],
    tables: [...tables],
    digest: createHash('sha256')
      .update(JSON.stringify([dialect, spelled]))
      .digest('hex'),
  };
}

/** By semicolons; empty statements are none. */
function split(tokens: readonly Token[]): Token[][] {
  const groups: Token[][] = [[]];
  for (const token of tokens) {
    if (token.kind === 'sign' && token.text === ';') groups.push([]);
    else groups.at(-1)?.push(token);
  }
  return groups.filter((group) => group.length > 0);
}

function statementOf(
  body: string,
  tokens: readonly Token[],
  dialect: Dialect,
  references: Set<string>,
  tables: Set<string>,
): Statement {
  const binds: string[] = [];
  const numbers = new Map<string, number>();
  let text = '';
  let from = tokens[0]?.start ?? 0;
  for (const [index, token] of tokens.entries()) {
    if (token.kind !== 'parameter') continue;
    const name = token.text.slice(1);
    references.add(name);
    text += body.slice(from, token.start);
    from = token.start + token.text.length;
    if (dialect === 'duckdb' && /^(?:from|join)$/i.test(tokens[index - 1]?.text ?? '')) {
      tables.add(name);
      text += `"${name}"`;
    } else if (dialect === 'postgres') {
      // One place for each name: PostgreSQL learns the type of a value from all of its uses.
      if (!numbers.has(name)) numbers.set(name, binds.push(name));
      text += `$${numbers.get(name)}`;
    } else {
      binds.push(name);
      text += '?';
    }
  }
  const last = tokens.at(-1);
  return { text: text + body.slice(from, last ? last.start + last.text.length : from), binds };
}

const keyword = (text: string): string => (keywords.has(text.toUpperCase()) ? text.toUpperCase() : text);

export const keywords: ReadonlySet<string> = new Set(
  `ALL ALTER AND ANY AS ASC BETWEEN BY CASE CAST COLLATE CREATE CROSS CURRENT DELETE DESC DESCRIBE DISTINCT DROP ELSE END
  ESCAPE EXCEPT EXISTS EXPLAIN FALSE FETCH FILTER FIRST FOR FROM FULL GROUP HAVING ILIKE IN INNER INSERT INTERSECT INTO IS
  JOIN LAST LATERAL LEFT LIKE LIMIT MERGE NATURAL NOT NULL NULLS OFFSET ON OR ORDER OUTER OVER PARTITION PIVOT PRIMARY
  QUALIFY RECURSIVE RETURNING RIGHT ROWS SELECT SET SHOW SUMMARIZE TABLE THEN TRUE UNION UNPIVOT UPDATE USING VALUES VIEW
  WHEN WHERE WINDOW WITH`.split(/\s+/),
);
