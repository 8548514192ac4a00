// SQL cells: one query on a connection of the notebook, its values bound beside the text, its rows the cell's one variable.
import { createHash } from 'node:crypto';
import { EngineError, EngineRefused } from '../../engine/index.ts';
import { Refusal } from '../../errors/index.ts';
import { type Description, type Dialect, readSql } from '../../sql/index.ts';
import { bodyOf, outputVariable, parseAnnotations, resolveMounts } from '../annotations/index.ts';
import { catalogCredential, connectionId, dialectOf, mountNames, textOf } from '../connections/index.ts';
import type { Cell, Connection, Notebook } from '../document/index.ts';
import { CellRefused, type CellWork, type Language, type OutsideLook, type SqlFacts, type Weight } from './language.ts';
import { noNames } from './sourceDigest.ts';
import { createDescriber } from './sqlDescriptions.ts';
import { createFreshness, isOfValues, nothingAsked } from './sqlFreshness.ts';
import { saltOf } from './sqlPolicy.ts';
import { createPreparation, framesOf, isSnapshot, lakeTablesOf, type Snapshots, type SqlParts } from './sqlPrepare.ts';
import { validUntil } from './sqlSnapshots.ts';
import { nothingFar, weighLake } from './sqlWeight.ts';

export type { SqlParts } from './sqlPrepare.ts';

export function sqlLanguage(parts: SqlParts): Language {
  const { processes, mounts, now = () => Date.now() / 1000 } = parts;
  const describe = createDescriber(processes);
  /** Snapshots that the last look at a cell found: its run reads the very same. */
  const pins = new Map<string, Snapshots>();
  const prepare = createPreparation(parts, describe, pins);
  const { freshness, momentOf } = createFreshness(parts, now, pins);

  async function look(
    work: CellWork,
    { signal, mayAsk, renew = false }: { signal: AbortSignal; mayAsk: boolean; renew?: boolean },
  ): Promise<OutsideLook | undefined> {
    const salt = saltOf(work.annotations, work.openingId, now());
    pins.delete(work.cell.id);
    // A snapshot is trusted again when the cell is run, not when the notebook is opened.
    const isKnown = salt !== undefined && !isSnapshot(work.annotations);
    if (!mayAsk) return isKnown ? lookOf(salt) : lookUnasked(work, signal);
    return told(async () => {
      const prepared = await prepare(work);
      if (isSnapshot(work.annotations)) {
        const { at, tables } = await momentOf(work, prepared, renew, signal);
        return lookOf(JSON.stringify(['snapshot', at, tables]));
      }
      const mounted = await mounts.look(withMounts(work, prepared.connection), { signal, mayAsk });
      const files = mounted?.digest ?? '';
      return lookOf(salt ?? JSON.stringify(await freshness(work, prepared, files, signal)), mounted);
    }, signal);
  }

  /** A query of values and nothing else is as it was, whoever looks: nobody has to be asked. */
  async function lookUnasked(work: CellWork, signal: AbortSignal): Promise<OutsideLook | undefined> {
    const connection = connectionIn(work.notebook, work.cell);
    if (isSnapshot(work.annotations) || !connection || textOf(connection, 'path') !== ':memory:') return undefined;
    const prepared = await prepare(work);
    const mounted = await mounts.look(withMounts(work, connection), { signal, mayAsk: false });
    return mounted && isOfValues(prepared) ? lookOf(JSON.stringify(nothingAsked(mounted.digest)), mounted) : undefined;
  }

  /** What mounts and the catalog would bring here; what a database would read only the database knows. */
  async function weigh(work: CellWork, signal: AbortSignal): Promise<Weight> {
    pins.delete(work.cell.id);
    const { connection, described, opened, snapshot } = await prepare(work);
    const mounted = await mounts.weigh(withMounts(work, connection), signal);
    const lake =
      lakeTablesOf(connection, described).length === 0
        ? nothingFar
        : await weighLake(processes, opened, catalogCredential(parts, connection, work.notebook.catalogs), signal);
    const far = [...mounted.far, ...lake.far];
    // A moment is only chosen by a run.
    const isLooked = far.length > 0 && (!isSnapshot(work.annotations) || snapshot !== undefined);
    const found = isLooked ? await look(work, { signal, mayAsk: true }) : undefined;
    return { far, fingerprint: `${mounted.fingerprint}${lake.fingerprint}`, digest: found?.digest ?? null };
  }

  return {
    async read(cells, notebook) {
      const bodies = cells.map((cell) => bodyIn(notebook, cell));
      const { facts, failure } = await describedOr(() => describe(bodies));
      return cells.map(({ source }, index) => {
        const annotations = parseAnnotations(source);
        const body = bodies[index];
        if (!body) return { names: noNames, digest: '' };
        const digest = `${body.digest}:${annotations.sql?.write ?? false}`;
        const described = facts[index];
        const frames = described && body.connection ? framesOf(body.connection, described) : [];
        const references = [...new Set([...body.references, ...frames])];
        const names = { ...noNames, defines: [outputVariable(annotations)], references };
        if (described) return { names, digest, sql: factsOf(described) };
        return failure === null
          ? { names, digest }
          : { names, digest, sql: { parseError: null, dynamicTables: [], failure } };
      });
    },

    environment(notebook, annotations) {
      const connection = notebook.connections.find(({ name }) => name === annotations.sql?.connection);
      if (!connection) return 'sql';
      return `sql\0${connectionId(connection, notebook.directory, annotations.sql?.write ?? false)}`;
    },

    outside: {
      asks: ({ annotations: { sql, cache } }) => JSON.stringify([sql, cache]),
      look,
      weigh,
    },

    async engage(work) {
      const { connection, body, described, frames, write, opened, snapshot } = await told(() => prepare(work));
      const { runSqlCell } = await import('./sqlRun.ts');
      return {
        run: (job, _onEvent, signal) =>
          runSqlCell(
            {
              processes,
              body,
              frames,
              kinds: described.statements.map(({ kind }) => kind),
              write,
              connection: opened.connection,
              mounts: mountNames(connection),
              hide: opened.hide,
              variable: outputVariable(work.annotations),
              snapshot: snapshot && {
                at: snapshot.at,
                validUntil: validUntil(connection.driver, snapshot.at),
                tables: connection.driver === 'duckdb' ? snapshot.tables : null,
              },
              job,
            },
            signal,
          ),
      };
    },
  };
}

const lookOf = (found: string, beside: Partial<OutsideLook> = {}): OutsideLook => ({
  inputs: {},
  lineage: {},
  ...beside,
  digest: createHash('sha256').update(found).digest('hex'),
});

/** The work as it looks to mounts: those that the connection shows and the query names. */
function withMounts(work: CellWork, connection: Connection): CellWork {
  const { cell, annotations, notebook } = work;
  const named = new Set(
    mountNames(connection).filter((name) => new RegExp(`\\b${RegExp.escape(name)}\\b`, 'i').test(cell.source)),
  );
  const mounts = resolveMounts(annotations, cell, notebook).filter(({ name }) => named.has(name));
  return {
    ...work,
    notebook: { ...notebook, mounts: [] },
    annotations: { ...annotations, mounts: [], fetches: [] },
    cell: { ...cell, mounts },
  };
}

const connectionIn = ({ connections }: Notebook, { source }: Cell) =>
  connections.find(({ name }) => name === parseAnnotations(source).sql?.connection);

/** The driver of its connection decides how a query is read. */
export const dialectIn = (notebook: Notebook, cell: Cell): Dialect =>
  dialectOf(connectionIn(notebook, cell)?.driver ?? 'sqlite');

function bodyIn(notebook: Notebook, cell: Cell) {
  const dialect = dialectIn(notebook, cell);
  return { ...readSql(bodyOf(cell.source, 'sql'), dialect), dialect, connection: connectionIn(notebook, cell) };
}

/** Without a process to ask nothing is known; one that was asked and failed is told. */
async function describedOr(
  ask: () => Promise<Description[]>,
): Promise<{ readonly facts: readonly Description[]; readonly failure: string | null }> {
  try {
    return { facts: await ask(), failure: null };
  } catch (error) {
    return { facts: [], failure: error instanceof EngineRefused ? error.message : null };
  }
}

const factsOf = ({ problem, dynamic }: Description): SqlFacts => ({
  parseError: problem,
  dynamicTables: dynamic,
  failure: null,
});

/** A process that does not start or died is told as the cell's failure. */
async function told<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (signal?.aborted || !(error instanceof EngineError || error instanceof Refusal)) throw error;
    throw new CellRefused('SqlUnavailable', error.message);
  }
}
