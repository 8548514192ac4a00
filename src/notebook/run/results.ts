// Results that are kept between sessions: what a run stored, showed and printed, under the key of how it came about. They
// live in the notebook's own artifact store, and a result and its artifacts become visible in one commit.
import {
  type ArtifactStore,
  type ArtifactVersion,
  artifactUri,
  type NewArtifact,
  parseArtifactUri,
} from '../../artifacts/index.ts';
import { type Queries, type Row, text } from '../../database/index.ts';
import type { ValueRecord } from '../../runtimes/runtime.ts';
import type { CellFailure, CellResult, StoredValue } from '../session/index.ts';
import type { ToldEffects } from './effects.ts';
import type { ReadFiles } from './readFiles.ts';

export interface Display extends ValueRecord {
  readonly artifact_uri: string;
  /** Of a cell that runs once per variant: which of them showed it. */
  readonly variant?: string;
}

export interface KeptResult extends CellResult {
  readonly displays: readonly Display[];
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
  readonly createdAt: number;
  /** Of a cell that nobody reads from: it stored what it defines, as far as that can be stored. */
  readonly isWhole?: boolean;
  /** What each variable was, also of those that nobody read: for whoever types its name next. */
  readonly sketches?: Readonly<Record<string, Sketch>>;
  /** What the cell said; parts of a cell's result, and results of before it was kept, do without. */
  readonly source?: string;
  /** What it touched beside its variables, where that was seen. */
  readonly effects?: ToldEffects;
  readonly files?: ReadFiles;
  /** Of one iteration of a loop: whether its condition held. */
  readonly untilReached?: boolean;
}

export interface Sketch {
  /** As `pandas.DataFrame`. */
  readonly type: string;
  /** Of a table. */
  readonly rows?: number;
  readonly columns?: readonly string[];
}

export interface Results {
  /** All that is kept, by cell, oldest first. */
  load(): Promise<Map<string, KeptResult[]>>;
  /** Stores the artifacts and, in the same commit, the result that `describe` makes of their versions. */
  keep(
    cellId: string,
    artifacts: readonly NewArtifact[],
    describe: (stored: readonly ArtifactVersion[]) => KeptResult,
  ): Promise<KeptResult>;
  /** Forgets what no longer belongs to a cell, and gives it to whoever may want it back. */
  forget(cellId: string): Promise<Forgotten>;
  putBack(forgotten: Forgotten): Promise<void>;
  /**
   * Forgets all but the newest results of each cell, and the artifacts that none of the rest refers to: older ones, and
   * all of cells that are no longer there. 0 keeps all.
   */
  prune(keepSuperseded: number, isGone: (artifactId: string) => boolean): Promise<void>;
  /** Forgets these results of an open notebook, and older artifacts of those that follow them, unless they are held. */
  supersede(gone: readonly Superseded[], newer: Iterable<KeptResult>, rule: SupersedeRule): Promise<void>;
  /** The last failure of each cell that has not succeeded since. */
  loadFailures(): Promise<Map<string, CellFailure>>;
  keepFailure(cellId: string, failure: CellFailure): Promise<void>;
}

export interface Superseded {
  /** Of a cell, or of a part of one. */
  readonly id: string;
  readonly result: KeptResult;
}

export interface SupersedeRule {
  readonly keepSuperseded: number;
  readonly isHeld: (uri: string) => boolean;
}

/** What was kept of a cell and of its parts. */
export interface Forgotten {
  readonly cellId: string;
  readonly results: readonly { readonly id: string; readonly result: KeptResult }[];
  readonly failure: CellFailure | undefined;
}

export function createResults(store: ArtifactStore): Results {
  async function load(): Promise<Map<string, KeptResult[]>> {
    const rows = await store.database.all(
      // As they were kept: a clock may have been set back between two of them.
      'SELECT cell_id, record FROM cell_results ORDER BY rowid',
      [],
      (row) => ({
        cellId: text(row, 'cell_id'),
        result: parseResult(text(row, 'record')),
      }),
    );
    const kept = new Map<string, KeptResult[]>();
    for (const { cellId, result } of rows) kept.set(cellId, [...(kept.get(cellId) ?? []), result]);
    return kept;
  }

  return {
    load,

    async keep(cellId, artifacts, describe) {
      let result: KeptResult | undefined;
      await store.store(artifacts, async (queries, stored) => {
        result = describe(stored);
        await queries.run('DELETE FROM cell_failures WHERE cell_id = ?', [cellId]);
        await queries.run('DELETE FROM cell_results WHERE cell_id = ? AND provenance_hash = ?', [cellId, result.key]);
        await insertResult(queries, cellId, result);
      });
      if (!result) throw new Error('A result was stored without being described.');
      return result;
    },

    forget: (cellId) =>
      store.database.transaction(async (queries) => {
        // With its iterations and variants.
        const part = `${cellId}@`;
        const where = 'WHERE cell_id = ? OR substr(cell_id, 1, ?) = ?';
        const rows = [cellId, part.length, part];
        const results = await queries.all(`SELECT cell_id, record FROM cell_results ${where}`, rows, (row) => ({
          id: text(row, 'cell_id'),
          result: parseResult(text(row, 'record')),
        }));
        const failure = await queries.get('SELECT * FROM cell_failures WHERE cell_id = ?', [cellId], failureIn);
        await queries.run(`DELETE FROM cell_results ${where}`, rows);
        await queries.run('DELETE FROM cell_failures WHERE cell_id = ?', [cellId]);
        return { cellId, results, failure };
      }),

    putBack: ({ cellId, results, failure }) =>
      store.database.transaction(async (queries) => {
        for (const { id, result } of results) await insertResult(queries, id, result);
        if (failure) await insertFailure(queries, cellId, failure);
      }),

    async prune(keepSuperseded, isGone) {
      if (keepSuperseded === 0) return;
      const held = new Set<string>();
      for (const [cellId, list] of await load()) {
        for (const { key } of list.slice(0, -(keepSuperseded + 1))) {
          await store.database.run('DELETE FROM cell_results WHERE cell_id = ? AND provenance_hash = ?', [cellId, key]);
        }
        for (const result of list.slice(-(keepSuperseded + 1))) for (const uri of urisIn(result)) held.add(uri);
      }
      await store.prune({ keepSuperseded, isGone, isHeld: (address) => held.has(artifactUri(address)) });
    },

    async supersede(gone, newer, { keepSuperseded, isHeld }) {
      for (const { id, result } of gone)
        await store.database.run('DELETE FROM cell_results WHERE cell_id = ? AND provenance_hash = ?', [
          id,
          result.key,
        ]);
      const uris = [...gone.map(({ result }) => result), ...newer].flatMap(urisIn);
      const ids = uris.flatMap((uri) => parseArtifactUri(uri)?.id ?? []);
      await store.pruneOf(ids, { keepSuperseded, isHeld: (address) => isHeld(artifactUri(address)) });
    },

    async loadFailures() {
      const rows = await store.database.all('SELECT * FROM cell_failures', [], (row) => ({
        cellId: text(row, 'cell_id'),
        failure: failureIn(row),
      }));
      return new Map(rows.map(({ cellId, failure }) => [cellId, failure]));
    },

    async keepFailure(cellId, failure) {
      await store.database.transaction(async (queries) => {
        await queries.run('DELETE FROM cell_failures WHERE cell_id = ?', [cellId]);
        await insertFailure(queries, cellId, failure);
      });
    },
  };
}

const insertResult = (queries: Queries, id: string, result: KeptResult): Promise<number> =>
  queries.run('INSERT INTO cell_results (cell_id, provenance_hash, record, created_at) VALUES (?, ?, ?, ?)', [
    id,
    result.key,
    JSON.stringify(result),
    result.createdAt,
  ]);

const insertFailure = (queries: Queries, cellId: string, failure: CellFailure): Promise<number> =>
  queries.run('INSERT INTO cell_failures (cell_id, text, source_digest, stdout, stderr) VALUES (?, ?, ?, ?, ?)', [
    cellId,
    failure.text,
    failure.sourceDigest,
    failure.stdout,
    failure.stderr,
  ]);

const failureIn = (row: Row): CellFailure => ({
  text: text(row, 'text'),
  sourceDigest: text(row, 'source_digest'),
  stdout: text(row, 'stdout'),
  stderr: text(row, 'stderr'),
});

/** Of all values that a result refers to. */
export function urisIn({ variables, displays, iterations = [] }: KeptResult): string[] {
  const values = [...Object.values(variables), ...iterations].flatMap(urisOfValue);
  return [...values, ...displays.map(({ artifact_uri }) => artifact_uri)];
}

const urisOfValue = ({ uri, lent = {}, sweep }: StoredValue): string[] => [
  ...(sweep ? Object.values(sweep.variants).flatMap(urisOfValue) : [uri]),
  ...Object.values(lent).flatMap(urisOfValue),
];

/** Written by this program in the same shape; a store that is newer refuses to open. */
function parseResult(record: string): KeptResult {
  return JSON.parse(record);
}
