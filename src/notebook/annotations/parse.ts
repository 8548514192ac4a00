// A source → its annotations. Total: any text has some, and a line that cannot be read is as if absent (diagnostics tell
// about it). Of a scalar directive the last readable line wins, lists accumulate, `@sql` and `@loop` merge by key.
import { type Directive, leadingBlock } from './block.ts';
import {
  parseDataset,
  parseEnv,
  parseFetch,
  parseMount,
  parseOutputDir,
  parseTable,
  parseWriteTable,
} from './inputs.ts';
import { parseLoop } from './loop.ts';
import { parseResources, parseRetry } from './resources.ts';
import type { Annotations, CachePolicy } from './types.ts';
import { isIdentifier, keyAndValue, parseInteger, parseNumber, tokensOf } from './words.ts';

export function parseAnnotations(source: string): Annotations {
  const { directives } = leadingBlock(source);
  const read = readers(directives);
  return {
    name: read.last('name', nonEmpty),
    worker: nonEmpty(read.lastValue('worker') ?? ''),
    timeout: read.last('timeout', parseTimeout),
    env: Object.fromEntries(read.all('env', parseEnv)),
    mounts: read.all('mount', parseMount),
    tables: read.all('table', parseTable),
    writeTables: read.all('write_table', parseWriteTable),
    outputDirs: read.all('output_dir', parseOutputDir),
    fetches: read.all('fetch', parseFetch),
    datasets: read.all('dataset', parseDataset),
    nocache: read.last('nocache', isOn) ?? false,
    after: [...new Set(read.all('after', afterIds).flat())],
    loop: parseLoop(directives),
    variant: read.last('variant', parseVariant),
    perVariant: read.last('per_variant', (value) => ({ group: tokensOf(value)[0] ?? null })),
    live: read.last('live', isOn) ?? false,
    sql: parseSql(directives),
    cache: read.last('cache', parseCache),
    prompt: {
      model: nonEmpty(read.lastValue('model') ?? ''),
      temperature: read.last('temperature', parseNumber),
      maxTokens: read.last('max_tokens', positive),
      system: nonEmpty(read.lastValue('system') ?? ''),
      output: nonEmpty(read.lastValue('output') ?? ''),
      outputSchema: nonEmpty(read.lastValue('output_schema') ?? ''),
      validateRetries: read.last('validate_retries', positive),
    },
    resources: read.last('resources', parseResources),
    retry: read.last('retry', parseRetry) ?? 0,
  };
}

function readers(directives: readonly Directive[]) {
  const values = (name: string): string[] => directives.filter((one) => one.name === name).map(({ value }) => value);
  const all = <Value>(name: string, parse: (value: string) => Value | null): Value[] =>
    values(name)
      .map(parse)
      .filter((value) => value !== null);
  return {
    all,
    last: <Value>(name: string, parse: (value: string) => Value | null): Value | null =>
      all(name, parse).at(-1) ?? null,
    lastValue: (name: string): string | undefined => values(name).at(-1),
  };
}

/** Seconds; zero and less count as unreadable. */
export function parseTimeout(value: string): number | null {
  const seconds = parseNumber(value);
  return seconds !== null && seconds > 0 ? seconds : null;
}

export function parseVariant(value: string): { group: string; name: string } | null {
  const [group = '', name = '', ...rest] = tokensOf(value);
  return rest.length === 0 && isIdentifier(group) && isIdentifier(name) ? { group, name } : null;
}

export function parseCache(value: string): CachePolicy | null {
  const [word = ''] = tokensOf(value);
  if (word === 'fingerprint' || word === 'forever' || word === 'session' || word === 'snapshot') return { kind: word };
  const seconds = word.startsWith('ttl=') ? positive(word.slice('ttl='.length)) : null;
  return seconds === null ? null : { kind: 'ttl', seconds };
}

function parseSql(directives: readonly Directive[]): Annotations['sql'] {
  const lines = directives.filter(({ name }) => name === 'sql');
  if (lines.length === 0) return null;
  const pairs = lines.flatMap(({ value }) => tokensOf(value)).map(keyAndValue);
  const options = new Map(pairs.filter((pair) => pair !== null));
  return {
    connection: options.get('connection') ?? null,
    write: ['true', 'yes', '1'].includes(options.get('write')?.toLowerCase() ?? ''),
  };
}

function afterIds(value: string): string[] {
  return tokensOf(value)
    .map((token) => token.replace(/,$/, ''))
    .filter((id) => id !== '');
}

const nonEmpty = (value: string): string | null => (value === '' ? null : value);

const isOn = (value: string): boolean => !['off', 'false', 'no', '0'].includes(value.toLowerCase());

function positive(value: string): number | null {
  const number = parseInteger(value);
  return number !== null && number >= 1 ? number : null;
}
