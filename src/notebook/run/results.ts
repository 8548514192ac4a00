// Results that are kept between sessions: what a run stored, showed and printed, under the key of how it came about. They
// live in the notebook's own artifact store, and a result and its artifacts become visible in one commit.

import { z } from 'zod';
import {
  type ArtifactAddress,
  type ArtifactStore,
  type ArtifactVersion,
  artifactUri,
  type NewArtifact,
  parseArtifactUri,
} from '../../artifacts/index.ts';
import { type Queries, type Row, text, textOrNull } from '../../database/index.ts';
import type { ValueRecord } from '../../runtimes/index.ts';
import type { CellFailure, CellResult, StoredValue } from '../state/index.ts';
import type { ToldEffects } from './effects.ts';
import { filesOfFolder, folderType } from './outputFolders.ts';
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
  /** Of a small tuple: the types of what it holds. */
  readonly items?: readonly string[];
  /** Names of its index, where it has any. */
  readonly index?: readonly string[];
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
  /** A result that is there, once more under another key. */
  keepAgain(cellId: string, result: KeptResult): Promise<void>;
  /** Forgets what no longer belongs to a cell, and gives it to whoever may want it back. */
  forget(cellId: string): Promise<Forgotten>;
  putBack(forgotten: Forgotten): Promise<void>;
  /**
   * Forgets all but the newest results of each cell, and the artifacts that none of the rest refers to: older ones, all
   * that cells no longer give, and all of cells that are no longer there. 0 keeps all.
   */
  prune(keepSuperseded: number, standing: (artifactId: string) => Standing): Promise<void>;
  /** Forgets these results of an open notebook with what they alone refer to, and older artifacts of those that follow them. */
  supersede(gone: readonly Superseded[], newer: readonly KeptResult[], rule: SupersedeRule): Promise<void>;
  /** The last failure of each cell that has not succeeded since. */
  loadFailures(): Promise<Map<string, CellFailure>>;
  keepFailure(cellId: string, failure: CellFailure): Promise<void>;
}

/** Whether the cell of an artifact is there; `foreign`: it is of no cell of this notebook, and nobody's to judge. */
export type Standing = 'there' | 'gone' | 'foreign';

export interface Superseded {
  /** Of a cell, or of a part of one. */
  readonly id: string;
  readonly result: KeptResult;
}

export interface SupersedeRule {
  readonly keepSuperseded: number;
  /** All results that are kept. */
  readonly rest: readonly KeptResult[];
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

  const drop = (cellId: string, key: string): Promise<number> =>
    store.database.run('DELETE FROM cell_results WHERE cell_id = ? AND provenance_hash = ?', [cellId, key]);

  /** Cells that are gone store nothing any more that needs a number. */
  async function forgetNumbers(standing: (artifactId: string) => Standing): Promise<void> {
    const ids = await store.database.all('SELECT id FROM artifact_numbers', [], (row) => text(row, 'id'));
    for (const id of ids)
      if (standing(id) === 'gone') await store.database.run('DELETE FROM artifact_numbers WHERE id = ?', [id]);
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

    async keepAgain(cellId, result) {
      await store.database.transaction(async (queries) => {
        await queries.run('DELETE FROM cell_results WHERE cell_id = ? AND provenance_hash = ?', [cellId, result.key]);
        await insertResult(queries, cellId, result);
      });
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

    async prune(keepSuperseded, standing) {
      if (keepSuperseded === 0) return;
      const rest: KeptResult[] = [];
      for (const [cellId, list] of await load()) {
        for (const { key } of list.slice(0, -(keepSuperseded + 1))) await drop(cellId, key);
        rest.push(...list.slice(-(keepSuperseded + 1)));
      }
      const held = [...addressesIn(rest), ...(await filesIn(store, rest))];
      const uris = new Set(held.map(artifactUri));
      const ids = new Set(held.map(({ id }) => id));
      const isUnnamed = (id: string): boolean => standing(id) === 'there' && !ids.has(id);
      await store.prune({
        keepSuperseded,
        isGone: (id) => standing(id) === 'gone' || isUnnamed(id),
        isHeld: (address) => uris.has(artifactUri(address)),
      });
      await forgetNumbers(standing);
    },

    async supersede(gone, newer, { keepSuperseded, rest }) {
      const results = gone.map(({ result }) => result);
      const held = addressesIn(rest);
      const files = await filesIn(store, results);
      const unheldFiles = files.length === 0 ? [] : without(files, await filesIn(store, rest));
      for (const { id, result } of gone) await drop(id, result.key);
      await store.remove(without(addressesIn(results), held), false);
      await store.remove(unheldFiles, true);
      // A result that was made again under its own key has left the values of the time before.
      const uris = new Set(held.map(artifactUri));
      const ids = addressesIn(newer).map(({ id }) => id);
      await store.pruneOf(ids, { keepSuperseded, isHeld: (address) => uris.has(artifactUri(address)) });
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
  queries.run(
    'INSERT INTO cell_failures (cell_id, text, source_digest, stdout, stderr, install) VALUES (?, ?, ?, ?, ?, ?)',
    [
      cellId,
      failure.text,
      failure.sourceDigest,
      failure.stdout,
      failure.stderr,
      failure.install === undefined ? null : JSON.stringify(failure.install),
    ],
  );

function failureIn(row: Row): CellFailure {
  const install = textOrNull(row, 'install');
  return {
    text: text(row, 'text'),
    sourceDigest: text(row, 'source_digest'),
    stdout: text(row, 'stdout'),
    stderr: text(row, 'stderr'),
    ...(install === null ? {} : { install: installSchema.parse(JSON.parse(install)) }),
  };
}

const installSchema = z
  .object({ package: z.string(), language: z.enum(['python', 'r']), also: z.array(z.string()).readonly().optional() })
  .nullable();

/** Of all values that a result refers to. */
export const urisIn = (result: KeptResult): string[] => [
  ...valuesIn(result).map(({ uri }) => uri),
  ...result.displays.map(({ artifact_uri }) => artifact_uri),
];

const valuesIn = ({ variables, iterations = [] }: KeptResult): StoredValue[] =>
  [...Object.values(variables), ...iterations].flatMap(withParts);

const withParts = (value: StoredValue): StoredValue[] => [
  ...(value.sweep ? Object.values(value.sweep.variants).flatMap(withParts) : [value]),
  ...Object.values(value.lent ?? {}).flatMap(withParts),
];

const addressesIn = (results: readonly KeptResult[]): ArtifactAddress[] =>
  results.flatMap(urisIn).flatMap((uri) => parseArtifactUri(uri) ?? []);

/** The files of all folders that results refer to. */
async function filesIn(store: ArtifactStore, results: readonly KeptResult[]): Promise<ArtifactAddress[]> {
  const folders = results.flatMap(valuesIn).filter(({ contentType }) => contentType === folderType);
  const addresses = new Set(folders.map(({ uri }) => uri));
  const files = [...addresses].map((uri) => filesOfFolder(store, parseArtifactUri(uri)));
  return (await Promise.all(files)).flat();
}

/** What is held by none of these addresses. */
const without = (addresses: readonly ArtifactAddress[], held: readonly ArtifactAddress[]): ArtifactAddress[] => {
  const uris = new Set(held.map(artifactUri));
  return addresses.filter((address) => !uris.has(artifactUri(address)));
};

/** Written by this program in the same shape; a store that is newer refuses to open. */
function parseResult(record: string): KeptResult {
  return JSON.parse(record);
}
