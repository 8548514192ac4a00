// What is offered to somebody who writes a query: tables of the connection, data frames of cells above, files, columns and
// functions. What databases tell is kept for a while: an answer takes no longer than a key.
import type { CodeAnswer } from '../../runtimes/index.ts';
import { keywords, type Wanted, wantedAt, written } from '../../sql/index.ts';
import { leadingBlock, parseAnnotations } from '../annotations/index.ts';
import { type Connections, connectionId, type DatabaseTable, dialectOf } from '../connections/index.ts';
import type { Connection, Notebook } from '../document/index.ts';
import { listFiles } from '../files/index.ts';
import type { KeptResult } from '../run/index.ts';
import type { Shape } from '../shape/index.ts';
import type { HintRequest } from './hints.ts';

export interface SqlHintParts {
  readonly connections: Pick<Connections, 'tables' | 'functions' | 'fileColumns'>;
  readonly now: () => { readonly notebook: Notebook; readonly shape: Shape };
  readonly resultOf: (cellId: string) => KeptResult | undefined;
}

interface Offer {
  readonly label: string;
  readonly kind: 'table' | 'column' | 'function' | 'keyword' | 'file' | 'value' | 'schema';
}

interface Frame {
  readonly name: string;
  /** Undefined of a value that is no table, or that nobody has seen yet. */
  readonly columns: readonly string[] | undefined;
}

const keptMs = 20_000;
const maxItems = 400;
const readable = /\.(?:csv|tsv|parquet|json|jsonl|ndjson)(?:\.(?:gz|zst))?$/i;
const common =
  `abs avg cast ceil coalesce concat count current_date current_timestamp date_trunc dense_rank extract first_value floor
  lag last_value lead length lower lpad max min mod nullif power rank replace round row_number rpad sqrt substring sum trim
  upper`.split(/\s+/);

export function createSqlHints({ connections, now, resultOf }: SqlHintParts) {
  const tables = createMemory<readonly DatabaseTable[]>([]);
  const words = createMemory<readonly string[]>([]);

  const tablesOf = (connection: Connection): Promise<readonly DatabaseTable[]> =>
    tables(connectionId(connection, now().notebook.directory, false), async () => {
      const found = await connections.tables(connection.name);
      return found.tables;
    });

  async function functionsOf(driver: string): Promise<readonly string[]> {
    const own = await words(`functions ${driver}`, () => connections.functions(driver));
    return own.length === 0 ? common : own;
  }

  const columnsOfFile = (file: string): Promise<readonly string[]> =>
    readable.test(file) ? words(`file ${file}`, () => connections.fileColumns(file)) : Promise.resolve([]);

  /** What cells above define, as far as their last results tell. */
  function framesAbove(cellId: string): Frame[] {
    const { notebook, shape } = now();
    const found = new Map<string, Frame>();
    for (const { id } of notebook.cells) {
      if (id === cellId) break;
      const form = shape.cells.get(id);
      if (!form?.variantActive) continue;
      const sketches = resultOf(id)?.sketches;
      for (const name of form.defines) {
        const { columns, index = [] } = sketches?.[name] ?? {};
        found.set(name, { name, columns: columns && [...columns, ...index] });
      }
    }
    return [...found.values()];
  }

  async function offers(wanted: Wanted, cellId: string, connection: Connection): Promise<readonly Offer[]> {
    const isDuck = connection.driver === 'duckdb';
    const dialect = dialectOf(connection.driver);
    const above = framesAbove(cellId);
    if (wanted.kind === 'value') return above.map(({ name }) => ({ label: name, kind: 'value' }));
    if (wanted.kind === 'file') return isDuck ? filesUnder(now().notebook.directory, wanted.prefix) : [];
    const frames = isDuck ? above.filter(({ columns }) => columns !== undefined) : [];
    const found = await tablesOf(connection);
    const name = (label: string, kind: Offer['kind']): Offer => ({ label: written(label, dialect), kind });
    const schemas = [...new Set(found.flatMap(({ schema }) => (schema === null ? [] : [schema])))];
    if (wanted.kind === 'table')
      return [
        ...frames.map((frame) => name(frame.name, 'table')),
        ...found.map((table) => name(table.name, 'table')),
        ...schemas.map((schema) => name(schema, 'schema')),
      ];

    async function columnsOf(table: { readonly name: string; readonly isFile: boolean }): Promise<readonly string[]> {
      if (table.isFile) return isDuck ? columnsOfFile(table.name) : [];
      const is = (one: { readonly name: string }): boolean => one.name.toLowerCase() === table.name.toLowerCase();
      return found.find(is)?.columns.map((column) => column.name) ?? frames.find(is)?.columns ?? [];
    }
    if (wanted.kind === 'member') {
      const of = wanted.of.toLowerCase();
      const inSchema = found.filter(({ schema }) => schema?.toLowerCase() === of);
      const table = wanted.tables.find(({ alias }) => alias.toLowerCase() === of);
      const columns = await columnsOf(table ?? { name: wanted.of, isFile: false });
      return [...columns.map((one) => name(one, 'column')), ...inSchema.map((table) => name(table.name, 'table'))];
    }
    const columns = (await Promise.all(wanted.tables.map(columnsOf))).flat();
    const functions = await functionsOf(connection.driver);
    return [
      ...columns.map((one) => name(one, 'column')),
      ...wanted.tables.map(({ alias }) => name(alias, 'table')),
      ...functions.map((label): Offer => ({ label, kind: 'function' })),
      ...[...keywords].map((word): Offer => ({ label: cased(word, wanted.prefix), kind: 'keyword' })),
    ];
  }

  return {
    async complete({ cellId, source, offset }: HintRequest): Promise<CodeAnswer | undefined> {
      const { sql } = parseAnnotations(source);
      const connection = now().notebook.connections.find(({ name }) => name === sql?.connection);
      const begin = leadingBlock(source).lines.join('').length;
      if (!connection || offset < begin) return undefined;
      const wanted = wantedAt(source.slice(begin), offset - begin, dialectOf(connection.driver));
      if (!wanted) return undefined;
      const prefix = wanted.prefix.toLowerCase();
      const found = new Map<string, Offer>();
      for (const offer of await offers(wanted, cellId, connection))
        if (fits(offer, prefix) && !found.has(offer.label)) found.set(offer.label, offer);
      const items = [...found.values()];
      return {
        items: items.slice(0, maxItems),
        from: begin + wanted.from,
        truncated: items.length > maxItems,
        signature: null,
        text: '',
      };
    },
  };
}

/** What was told before at once, however old, and asked again behind it. Whoever cannot be asked has `nothing` to offer. */
function createMemory<T>(nothing: T): (key: string, ask: () => Promise<T>) => Promise<T> {
  const known = new Map<string, { readonly at: number; readonly value: Promise<T> }>();
  return (key, ask) => {
    const before = known.get(key);
    const at = performance.now();
    if (before && at - before.at < keptMs) return before.value;
    const asked = ask().catch(() => nothing);
    known.set(key, { at, value: before?.value ?? asked });
    if (before) void asked.then((value) => known.set(key, { at, value: Promise.resolve(value) }));
    return before?.value ?? asked;
  };
}

/** Of words that every query has, there are too many to look inside them. */
function fits({ label, kind }: Offer, prefix: string): boolean {
  const name = label.toLowerCase();
  return kind === 'function' || kind === 'keyword' ? name.startsWith(prefix) : name.includes(prefix);
}

/** Keywords as the rest of the query is written. */
const cased = (word: string, prefix: string): string => (/^[a-z]/.test(prefix) ? word.toLowerCase() : word);

/** Files that can be read, and folders, in the folder that the name leads to so far. */
async function filesUnder(directory: string, prefix: string): Promise<readonly Offer[]> {
  const folder = prefix.slice(0, Math.max(0, prefix.lastIndexOf('/')));
  const found = await listFiles(directory, folder).catch(() => ({ entries: [] }));
  return found.entries
    .filter(({ kind, name }) => kind === 'folder' || readable.test(name))
    .map(({ kind, path }) => ({ label: kind === 'folder' ? `${path}/` : path, kind: 'file' }));
}
