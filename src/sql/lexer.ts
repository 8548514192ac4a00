// Cuts a SQL text into tokens as the database would, as far as quoting goes: what stands in strings, names and comments is
// no code, and no parameter is found there.

export type Dialect = 'sqlite' | 'duckdb' | 'postgres' | 'snowflake' | 'bigquery';

export interface Token {
  readonly kind: 'word' | 'name' | 'string' | 'number' | 'parameter' | 'sign';
  readonly text: string;
  readonly start: number;
}

const word = /[\p{L}_][\p{L}\p{N}_$]*/uy;
const number = /(?:0[xX][0-9a-fA-F]+|(?:\d[\d_]*)?\.?\d[\d_]*(?:[eE][+-]?\d+)?)/y;
const parameter = /:[a-zA-Z_]\w*/y;
const dollarQuote = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy;
const blank = /\s+/y;
const sign = /::|<>|[<>!=]=|\|\||->>?|=>|:=|./suy;

const nestsComments: ReadonlySet<Dialect> = new Set(['postgres', 'duckdb']);
const dollarQuotes: ReadonlySet<Dialect> = new Set(['postgres', 'duckdb', 'snowflake']);
const backslashes: ReadonlySet<Dialect> = new Set(['snowflake', 'bigquery']);

export function tokensOf(text: string, dialect: Dialect): Token[] {
  const tokens: Token[] = [];
  let at = 0;

  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  const take = (kind: Token['kind'], length: number): void => {
    tokens.push({ kind, text: text.slice(at, at + length), start: at });
    at += length;
  };

  while (at < text.length) {
    const skipped = match(blank)?.length ?? commentLength(text, at, dialect);
    if (skipped > 0) {
      at += skipped;
      continue;
    }
    const quoted = quotedLength(text, at, dialect, tokens.at(-1));
    if (quoted !== undefined) take(quoted.kind, quoted.length);
    else if (isParameter(text, at)) take('parameter', match(parameter)?.length ?? 1);
    else {
      const found = match(word);
      if (found !== undefined) take('word', found.length);
      else {
        const digits = /[\d.]/.test(text[at] ?? '') ? match(number) : undefined;
        if (digits !== undefined) take('number', digits.length);
        else take('sign', match(sign)?.length ?? 1);
      }
    }
  }
  return tokens;
}

function isParameter(text: string, at: number): boolean {
  return /^:[a-zA-Z_]$/.test(text.slice(at, at + 2)) && !/[:\w]/.test(text[at - 1] ?? ' ');
}

/** Zero where no comment begins. */
function commentLength(text: string, at: number, dialect: Dialect): number {
  if (text.startsWith('--', at) || (dialect === 'bigquery' && text[at] === '#')) {
    const end = text.indexOf('\n', at);
    return (end < 0 ? text.length : end) - at;
  }
  if (!text.startsWith('/*', at)) return 0;
  let depth = 1;
  let place = at + 2;
  while (depth > 0 && place < text.length) {
    if (text.startsWith('*/', place)) {
      depth -= 1;
      place += 2;
    } else if (nestsComments.has(dialect) && text.startsWith('/*', place)) {
      depth += 1;
      place += 2;
    } else place += 1;
  }
  return place - at;
}

interface Quoted {
  readonly kind: 'string' | 'name';
  readonly length: number;
}

function quotedLength(text: string, at: number, dialect: Dialect, before: Token | undefined): Quoted | undefined {
  const mark = text[at] ?? '';
  if (mark === '$' && dollarQuotes.has(dialect)) {
    dollarQuote.lastIndex = at;
    const tag = dollarQuote.exec(text)?.[0];
    return tag === undefined ? undefined : { kind: 'string', length: upTo(text, tag, at + tag.length) - at };
  }
  if (mark === "'" || (mark === '"' && dialect === 'bigquery')) {
    const triple = mark.repeat(3);
    if (dialect === 'bigquery' && text.startsWith(triple, at))
      return { kind: 'string', length: upTo(text, triple, at + 3) - at };
    const follows = (letter: string): boolean =>
      before?.kind === 'word' && before.text.toLowerCase() === letter && before.start + 1 === at;
    const escapes = (backslashes.has(dialect) && !follows('r')) || follows('e');
    return { kind: 'string', length: closing(text, at, mark, escapes) - at };
  }
  if (mark === '"' || mark === '`') return { kind: 'name', length: closing(text, at, mark, false) - at };
  return undefined;
}

function upTo(text: string, mark: string, from: number): number {
  const end = text.indexOf(mark, from);
  return end < 0 ? text.length : end + mark.length;
}

/** Where a quoted piece ends; a doubled mark stands for itself. */
function closing(text: string, at: number, mark: string, escapes: boolean): number {
  for (let place = at + 1; place < text.length; place += 1) {
    if (escapes && text[place] === '\\') place += 1;
    else if (text[place] === mark) {
      if (text[place + 1] !== mark) return place + 1;
      place += 1;
    }
  }
  return text.length;
}
