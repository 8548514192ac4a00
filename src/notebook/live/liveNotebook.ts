// An open notebook: the document on disk, the session's state, the environment and the runs, kept in step. Edits happen one
// after another; every change of state goes through `apply`, and whoever watches is told what looks different.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { ArtifactAddress, ArtifactStore } from '../../artifacts/index.ts';
import type { NotebookEnvironment } from '../../environments/index.ts';
import { refusals } from '../../errors/index.ts';
import type { CellRecord } from '../../protocol/index.ts';
import type { ModuleSlice, Place, Runtime } from '../../runtimes/index.ts';
import type { DagBody } from '../dag/index.ts';
import {
  addCell,
  type Cell,
  cellOf,
  deleteCell,
  type NewCell,
  type Notebook,
  readNotebook,
  reorderCells,
  setCellSource,
} from '../document/index.ts';
import {
  below,
  cascadeTo,
  createResults,
  createRunFolders,
  estimate,
  executeCell,
  inputFiles,
  type KeptResult,
  type Results,
} from '../run/index.ts';
import {
  type Applied,
  apply,
  currentKey,
  emptySession,
  type Operation,
  type SessionState,
  type StoredValue,
} from '../session/index.ts';
import { createSoftLocks } from '../sessions/softLocks.ts';
import type { Audience } from './audience.ts';
import { cellRecordOf } from './cellRecord.ts';
import { createLiveConsole } from './console.ts';
import type { CellOutcome, RunHost } from './host.ts';
import { createInspectors, type InspectRequest } from './inspectors.ts';
import { refusedRun } from './refusedRun.ts';
import { announce } from './runCell.ts';
import { createRunner, type Runner } from './runner.ts';
import type { CellShape, Shape } from './shape.ts';

export interface LiveNotebook {
  readonly sessionId: string;
  readonly directory: string;
  readonly runner: Runner;
  notebook(): Notebook;
  session(): SessionState;
  shape(): Shape;
  cellRecord(cellId: string): CellRecord;
  cellRecords(): CellRecord[];
  dag(): DagBody;
  /** Gives the cells that look different now. */
  editCell(cellId: string, source: string, options: EditOptions): Promise<readonly string[]>;
  addCell(wanted: NewCell): Promise<string>;
  deleteCell(cellId: string): Promise<void>;
  reorderCells(cellIds: readonly string[]): Promise<void>;
  /** Any other change of the document, followed by a new look at everything. */
  change(edit: (notebook: Notebook) => Promise<Notebook>): Promise<void>;
  /** Reads everything from disk again: somebody else wrote there. */
  reload(): Promise<void>;
  /** Where the bytes of an artifact of this notebook lie. */
  blobPath(address: ArtifactAddress): string;
  /** Tells the status of these cells. */
  announce(cellIds: readonly string[]): void;
  /** Ends the run that the cell belongs to, or says again that none is in flight. */
  cancel(cellId: string): boolean;
  estimate(cellIds: readonly string[]): number;
  /** What a run of the cell would run first, and what it would make stale. */
  impactOf(cellId: string): { readonly above: readonly string[]; readonly below: readonly string[] };
  inspect(request: InspectRequest): Promise<object>;
  closeInspectors(): Promise<void>;
  totals(): RunTotals;
  /** Resolves when every edit that was asked for so far is on disk. */
  settledEdits(): Promise<void>;
  /** Throws when the notebook is held still for a copy. `run`: new runs are refused as soon as the hold is asked for. */
  assertFree(what: 'edit' | 'run'): void;
  lastDuration(cellId: string): number | undefined;
  executionCount(cellId: string): number;
  isBusy(): boolean;
  close(): Promise<void>;
}

export interface EditOptions {
  readonly author: string;
  readonly force: boolean;
  /** False when the caller tells of the change itself. */
  readonly announce?: boolean;
}

export interface RunTotals {
  readonly executionMs: number;
  readonly hits: number;
  readonly misses: number;
  /** What hits did not have to compute again. */
  readonly savedMs: number;
}

export interface LiveParts {
  readonly sessionId: string;
  readonly notebook: Notebook;
  readonly audience: Audience;
  readonly store: ArtifactStore;
  readonly environment: NotebookEnvironment;
  /** The runtime of the environment as it is now; undefined until it is ready. */
  readonly runtime: () => Runtime | undefined;
  readonly shapeOf: (notebook: Notebook) => Promise<Shape>;
  /** Has a source analysed that a look will soon ask for. */
  readonly analyseAhead: (source: string) => void;
  /** The declarations of a source, as other cells run them again. */
  readonly moduleSource: (source: string) => Promise<string>;
  /** The hold that keeps the notebook still, if any. */
  readonly hold: () => { readonly root: string; readonly secondsLeft: number; readonly complete: boolean } | undefined;
  readonly lockSeconds: number;
  readonly codec: 'cloudpickle' | 'pickle';
}

interface LastRun {
  readonly cacheHit: boolean;
  readonly executionMethod: string;
  readonly durationMs: number;
  readonly count: number;
}

export async function openLiveNotebook(parts: LiveParts): Promise<LiveNotebook> {
  const { audience, store, environment, shapeOf } = parts;
  const { directory } = parts.notebook;
  const results: Results = createResults(store);
  const folders = createRunFolders(path.join(directory, '.svc/runs'));
  const kept = await results.load();
  const console = createLiveConsole(audience);
  const locks = createSoftLocks(parts.lockSeconds);
  const lastRuns = new Map<string, LastRun>();
  const shown = new Map<string, Map<string, KeptResult>>(
    [...kept].map(([id, list]) => [id, new Map(list.map((one) => [one.key, one]))]),
  );
  let notebook = parts.notebook;
  let shape = await shapeOf(notebook);
  let session = apply(emptySession, {
    type: 'shaped',
    facts: shape.facts,
    graph: shape.graph,
    touched: shape.facts.keys(),
  }).state;
  session = apply(session, { type: 'restored', results: kept, errors: new Map() }).state;
  let totals: RunTotals = { executionMs: 0, hits: 0, misses: 0, savedMs: 0 };
  let lastEdit: Promise<unknown> = Promise.resolve();

  function assertFree(what: 'edit' | 'run'): void {
    const hold = parts.hold();
    if (hold && (what === 'run' || hold.complete)) throw refusals.notebookQuiesced(hold.root, hold.secondsLeft);
  }

  /** Edits in the order in which they came, each seeing what the one before left. */
  async function edited<T>(work: () => Promise<T>): Promise<T> {
    assertFree('edit');
    return inTurn(work);
  }

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = lastEdit.then(work, work);
    lastEdit = result.catch(() => {});
    return result;
  }

  function applied(operation: Operation): Applied {
    const outcome = apply(session, operation);
    session = outcome.state;
    return outcome;
  }

  async function reshape(): Promise<readonly string[]> {
    const next = await shapeOf(notebook);
    const touched = touchedBetween(shape, next);
    shape = next;
    return applied({ type: 'shaped', facts: next.facts, graph: next.graph, touched }).changed;
  }

  const keptOf = (cellId: string): KeptResult | undefined => {
    const key = session.cells.get(cellId)?.result?.key;
    return key === undefined ? undefined : shown.get(cellId)?.get(key);
  };

  const host: RunHost = {
    session: () => session,
    apply: applied,
    broadcast: (type, payload) => audience.broadcast(type, payload),
    findKept(cellId) {
      const facts = session.facts.get(cellId);
      const key = facts && !facts.neverCached ? currentKey(session, facts) : undefined;
      const found = key === undefined ? undefined : shown.get(cellId)?.get(key);
      return found && facts?.consumed.every((name) => Object.hasOwn(found.variables, name)) ? found : undefined;
    },
    execute: (cellId, signal) => execute(cellId, signal),
    isEmpty: (cellId) => cellOf(notebook, cellId).source.trim() === '',
    cellOrder: () => notebook.cells.map(({ id }) => id),
    settled(outcome) {
      console.end(outcome.cellId);
      remember(outcome);
    },
  };

  function remember({ cellId, result, executed, cacheHit }: CellOutcome): void {
    if (result) shown.set(cellId, new Map(shown.get(cellId)).set(result.key, result));
    const before = lastRuns.get(cellId);
    const duration = executed?.run.durationMs ?? 0;
    totals = cacheHit
      ? { ...totals, hits: totals.hits + 1, savedMs: totals.savedMs + (result?.durationMs ?? 0) }
      : { ...totals, misses: totals.misses + 1, executionMs: totals.executionMs + duration };
    lastRuns.set(cellId, {
      cacheHit,
      executionMethod: cacheHit ? 'cached' : (executed?.run.executionMethod ?? 'error'),
      durationMs: executed?.run.durationMs ?? before?.durationMs ?? 0,
      count: (before?.count ?? 0) + 1,
    });
  }

  /** The values that the cell's wired names stand for now, current or not. */
  const inputsOf = (cellId: string): Map<string, StoredValue> =>
    new Map(
      (session.graph.wires.get(cellId) ?? []).flatMap(({ from, variable }) => {
        const value = session.cells.get(from)?.result?.variables[variable];
        return value ? [[variable, value] as const] : [];
      }),
    );

  /** Functions and classes that other cells read go to them as source. */
  async function sliceModules(
    cellId: string,
    { exports }: CellShape,
    inputs: ReadonlyMap<string, StoredValue>,
  ): Promise<Record<string, ModuleSlice>> {
    if (exports.exports.length === 0) return {};
    const source = await parts.moduleSource(cellOf(notebook, cellId).source);
    // By content, not by address: the same code with the same values is the same thing.
    const injected = Object.fromEntries(exports.injected.map((name) => [name, inputs.get(name)?.sha256 ?? 'own']));
    return Object.fromEntries(
      exports.exports.map(({ name, kind }) => [
        name,
        { moduleName: `cell_${cellId}`, kind, source, provenanceHash: null, injected },
      ]),
    );
  }

  async function execute(cellId: string, signal: AbortSignal) {
    const runtime = parts.runtime();
    const facts = session.facts.get(cellId);
    const form = shape.cells.get(cellId);
    if (!runtime || !facts || !form) throw refusals.environmentBusy(environment.job());
    if (form.exports.blocked.length > 0) return refusedRun(form.exports.reasons);
    const inputs = inputsOf(cellId);
    console.begin(cellId);
    return executeCell(
      { runtime, store, results, folders },
      {
        notebookId: notebook.id,
        cellId,
        source: cellOf(notebook, cellId).source,
        key: currentKey(session, facts) ?? randomUUID(),
        sourceDigest: facts.sourceDigest,
        environmentHash: facts.environmentHash,
        inputs,
        wanted: facts.consumed,
        mutationDefines: form.mutationDefines,
        moduleSlices: await sliceModules(cellId, form, inputs),
        lent: form.exports.injected,
        env: form.env,
        workDir: path.join(directory, 'work'),
        notebookDir: directory,
        timeoutSeconds: form.timeout.seconds,
        timeoutLever: form.timeout.lever,
        codec: parts.codec,
      },
      ({ stream, text }) => console.write(cellId, stream, text),
      signal,
    );
  }

  const runner = createRunner(host);
  const inspectors = createInspectors(parts.runtime);

  const lastDuration = (cellId: string): number | undefined =>
    lastRuns.get(cellId)?.durationMs ?? keptOf(cellId)?.durationMs;

  function placeOf(cellId: string): Place {
    const inputs = inputsOf(cellId);
    return {
      inputs: inputFiles(store, inputs),
      env: shape.cells.get(cellId)?.env ?? {},
      workDir: path.join(directory, 'work'),
      notebookDir: directory,
    };
  }

  const recordOf = (cell: Cell): CellRecord =>
    cellRecordOf({
      notebook,
      cell,
      shape: shape.cells.get(cell.id),
      state: session.cells.get(cell.id),
      shown: keptOf(cell.id),
      console: console.of(cell.id),
      lastRun: lastRuns.get(cell.id),
    });

  return {
    sessionId: parts.sessionId,
    directory,
    runner,
    notebook: () => notebook,
    session: () => session,
    shape: () => shape,
    cellRecord: (cellId) => recordOf(cellOf(notebook, cellId)),
    cellRecords: () => notebook.cells.map(recordOf),
    dag: () => shape.dag,

    editCell: (cellId, source, { author, force, announce: shouldAnnounce = true }) =>
      edited(async () => {
        const { language } = cellOf(notebook, cellId);
        const held = locks.take(cellId, author, force);
        if (held) throw refusals.cellLocked(cellId, held.heldBy);
        if (language === 'python') parts.analyseAhead(source);
        notebook = await setCellSource(notebook, cellId, source, author);
        const changed = await reshape();
        if (shouldAnnounce) announce(host, changed);
        return changed;
      }),
    addCell: (wanted) =>
      edited(async () => {
        const added = await addCell(notebook, wanted);
        notebook = added.notebook;
        await reshape();
        return added.cellId;
      }),
    deleteCell: (cellId) =>
      edited(async () => {
        notebook = await deleteCell(notebook, cellId);
        await results.forget([cellId]);
        await reshape();
      }),
    reorderCells: (cellIds) =>
      edited(async () => {
        notebook = await reorderCells(notebook, cellIds);
        await reshape();
      }),
    change: (edit) =>
      edited(async () => {
        notebook = await edit(notebook);
        await reshape();
      }),
    reload: () =>
      inTurn(async () => {
        notebook = await readNotebook(directory, notebook);
        await reshape();
      }),

    blobPath: store.blobPath,
    announce: (cellIds) => announce(host, cellIds),
    cancel(cellId) {
      const cancelled = runner.cancel(cellId);
      if (!cancelled && session.cells.get(cellId)?.status === 'idle') announce(host, [cellId]);
      return cancelled;
    },
    estimate: (cellIds) => estimate(cellIds, { lastDuration }),
    impactOf: (cellId) => ({ above: cascadeTo(session, cellId), below: below(session, cellId) }),
    inspect: (request) => inspectors.answer(request, () => placeOf(request.payload.cell_id)),
    closeInspectors: () => inspectors.close(),
    totals: () => totals,

    assertFree,
    async settledEdits() {
      await lastEdit;
    },
    lastDuration,
    executionCount: (cellId) => lastRuns.get(cellId)?.count ?? 0,
    isBusy: () => runner.active() !== null || environment.job()?.status === 'running' || locks.anyHeld(),
    async close() {
      await runner.stop();
      await folders.close();
      await inspectors.close();
      await lastEdit;
      environment.close();
      await store.close();
    },
  };
}

/** Cells whose facts or wires differ between two forms of a notebook. What stayed the same is the same object. */
function touchedBetween(before: Shape, after: Shape): Set<string> {
  const touched = new Set<string>();
  for (const [id, facts] of after.facts) {
    if (facts !== before.facts.get(id) || after.graph.wires.get(id) !== before.graph.wires.get(id)) touched.add(id);
  }
  return touched;
}
