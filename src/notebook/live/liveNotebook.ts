// Opens a notebook: the shell around its state. Edits happen in turn, runs are told to whoever watches, and everything that
// lasts is on disk before it is answered for.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { refusals } from '../../errors/index.ts';
import type { CellRecord } from '../../protocol/index.ts';
import { bodyOf, localWorker, resolveWorker } from '../annotations/index.ts';
import { addCell, type Cell, cellOf, filesOf, readNotebook, reorderCells, setCellSource } from '../document/index.ts';
import {
  below,
  cascadeTo,
  createResults,
  createRunFolders,
  estimate,
  inputFiles,
  type KeptResult,
  standingAmong,
} from '../run/index.ts';
import { type Applied, apply, emptySession, type Operation } from '../session/index.ts';
import { touchedBetween } from '../shape/index.ts';
import { tellEvent } from './cellEvents.ts';
import { createCellInputs } from './cellInputs.ts';
import { cellRecordOf } from './cellRecord.ts';
import { createLiveConsole } from './console.ts';
import { createDeletedCells } from './deletedCells.ts';
import { seeSource } from './editSource.ts';
import { createExecution } from './execution.ts';
import { createFilesRead } from './filesRead.ts';
import { createFinder } from './finder.ts';
import { createHints } from './hints.ts';
import { createHistory } from './history.ts';
import type { RunHost } from './host.ts';
import { openImportedOutputs } from './imported.ts';
import { createInspectors } from './inspectors.ts';
import { createIterations } from './iterations.ts';
import { createLargeReads } from './largeReads.ts';
import { createLastRunNotes } from './lastRunNote.ts';
import type { EditTools, LiveNotebook, LiveParts } from './live.ts';
import { lookAround } from './lookAround.ts';
import { newCellIn } from './newCell.ts';
import { resultRecords } from './resultRecords.ts';
import { announce } from './runCell.ts';
import { createRunner } from './runner.ts';
import { tellRun } from './runRecord.ts';
import { createSoftLocks } from './softLocks.ts';
import { createSqlHints } from './sqlHints.ts';
import { createSupersededValues } from './superseded.ts';
import { testedState } from './tested.ts';
import { createUnkeptValues } from './unkeptValues.ts';

export type { EditOptions, EditTools, LiveNotebook, LiveParts } from './live.ts';

export async function openLiveNotebook(parts: LiveParts): Promise<LiveNotebook> {
  const { audience, store, environment, shapeOf, notes } = parts;
  const { directory } = parts.notebook;
  const results = createResults(store);
  const folders = createRunFolders(path.join(directory, '.svc/runs'));
  const cellIds = new Set(parts.notebook.cells.map(({ id }) => id));
  // What is held still is looked at as it is.
  if (!parts.hold()) await results.prune(parts.keepSuperseded, standingAmong(parts.notebook.id, cellIds));
  const kept = await results.load();
  const imported = await openImportedOutputs(directory);
  const console = createLiveConsole(audience);
  const locks = createSoftLocks(parts.lockSeconds);
  const history = createHistory(kept);
  const deleted = createDeletedCells(results, notes, parts.log);
  const iterations = createIterations(store);
  let notebook = parts.notebook;
  let shape = await shapeOf(notebook);
  /** The document that `shape` was made from: a run takes both, never a text under the digest of another. */
  let shaped = notebook;
  let session = apply(emptySession, {
    type: 'shaped',
    facts: shape.facts,
    graph: shape.graph,
    touched: shape.facts.keys(),
  }).state;
  const handedOver = new Map(
    [...cellIds].flatMap((id) => {
      const key = notes.of(id).handed_over;
      return key === null ? [] : [[id, key]];
    }),
  );
  const errors = await results.loadFailures();
  session = apply(session, { type: 'restored', results: kept, errors, handedOver }).state;
  const closing = new AbortController();
  let lastEdit: Promise<unknown> = Promise.resolve();

  function assertFree(what: 'edit' | 'run'): void {
    const hold = parts.hold();
    if (hold && (what === 'run' || hold.complete)) throw refusals.notebookQuiesced(hold.root, hold.secondsLeft);
    // A run would make a new directory where the notebook was moved away or deleted.
    if (what === 'run' && !existsSync(notebook.directory)) throw refusals.notebookDirectoryNotFound();
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
    const from = notebook;
    const next = await shapeOf(from);
    const touched = touchedBetween(shape, next);
    const advised = unkept.advised();
    shape = next;
    shaped = from;
    const { changed } = applied({ type: 'shaped', facts: next.facts, graph: next.graph, touched });
    return [...changed, ...advised, ...unkept.advised()];
  }

  const unkept = createUnkeptValues({ notes, session: () => session });

  const catchUp = (cellIds: Iterable<string>): Promise<void> => parts.catchUp(filesOf(notebook, cellIds));

  const filesRead = createFilesRead({
    directory,
    kept,
    session: () => session,
    onSeen: (files) => announce(host, applied({ type: 'filesSeen', files }).changed),
  });

  const keptOf = (cellId: string): KeptResult | undefined =>
    history.find(cellId, session.cells.get(cellId)?.result?.key);
  const execution = createExecution({
    ...parts,
    directory,
    results,
    folders,
    kept: history,
    prints: filesRead.prints,
    now: () => ({ notebook: shaped, session, shape }),
  });

  const failedCells = (): number => [...session.cells.values()].filter(({ status }) => status === 'error').length;
  const lastRun = createLastRunNotes(directory, failedCells);
  const machineOf = (cellId: string): string => {
    const form = shape.cells.get(cellId);
    return form ? resolveWorker(form.directives, cellOf(notebook, cellId), notebook).value : localWorker;
  };
  const inputs = createCellInputs(machineOf, (type, payload) => audience.broadcast(type, payload));

  const finder = createFinder({ history, store, now: () => ({ notebook, session, shape }) });

  const reads = createLargeReads({
    limits: parts.readLimits,
    weigh: execution.weigh,
    machineOf,
    wouldBeFound: finder.wouldBeFound,
  });

  const listeners = { audience, console, iterations };
  const host: RunHost = {
    session: () => session,
    apply: applied,
    broadcast: (type, payload) => audience.broadcast(type, payload),
    findKept: finder.find,
    look: inputs.watching(execution.look),
    readsNothingFar: inputs.none,
    async execute(cellId, options) {
      console.begin(cellId);
      await superseded.settled();
      return execution.execute(cellId, { ...options, onEvent: (event) => tellEvent(listeners, cellId, event) });
    },
    hasNothingToRun(cellId) {
      const { language, source } = cellOf(notebook, cellId);
      const text = language === 'sql' || language === 'prompt' ? bodyOf(source, language) : source;
      return language === 'markdown' || text.trim() === '';
    },
    effectsOf: finder.effectsOf,
    laneOf: execution.laneOf,
    catchUp,
    lookAtFiles: filesRead.look,
    controls: finder.controls,
    cellOrder: () => notebook.cells.map(({ id }) => id),
    adviceFor: unkept.adviceFor,
    unkeptSeen: unkept.seen,
    async failed(cellId, failure) {
      await results.keepFailure(cellId, failure);
    },
    fault: (error) => parts.log.warning('A run ended by a fault', { error, path: directory }),
    settled(outcome) {
      console.end(outcome.cellId);
      history.settled(outcome);
      lastRun.settled();
      parts.onRan(outcome);
      // What cannot be forgotten now is not shown either: the cell has something of its own.
      imported
        .forget(outcome.cellId)
        .catch((error) => parts.log.warning('Imported outputs stay', { error, path: directory }));
    },
    rested(run) {
      tellRun(parts.log, notebook.id, run);
      superseded.rested();
      parts.onRested();
    },
  };

  const superseded = createSupersededValues({
    history,
    results,
    keepSuperseded: parts.keepSuperseded,
    isUsed: (cellId, key) => session.cells.get(cellId)?.result?.key === key,
    onGone: (gone) => applied({ type: 'forgotten', results: gone }),
    fault: (error) => parts.log.warning('Superseded values could not be removed', { error, path: directory }),
  });
  await filesRead.look(session.facts.keys());
  const runner = createRunner(host);
  const inspectors = createInspectors(parts.pythonRuntime);
  const hints = createHints({
    runtime: parts.pythonRuntime,
    now: () => ({ notebook, shape }),
    resultOf: keptOf,
    filesOf: (values) => inputFiles(store, values),
    placeOf: execution.placeOf,
    query: createSqlHints({
      connections: parts.connections,
      now: () => ({ notebook, shape }),
      resultOf: keptOf,
    }).complete,
  });

  const lastDuration = (cellId: string): number | undefined =>
    history.lastRun(cellId)?.durationMs ?? keptOf(cellId)?.durationMs;

  const recordOf = (cell: Cell): CellRecord =>
    cellRecordOf({
      notebook,
      cell,
      shape: shape.cells.get(cell.id),
      state: session.cells.get(cell.id),
      shown: keptOf(cell.id),
      console: console.of(cell.id),
      lastRun: history.lastRun(cell.id),
      note: notes.of(cell.id),
      imported: imported.of(cell.id),
      inputs: inputs.of(cell.id),
      toJoin: unkept.adviceFor(cell.id),
      tested: () => testedState({ notebook: () => notebook, session: () => session }, cell.id),
    });

  const remove: EditTools['remove'] = async (from, cellId) => {
    if (runner.active()?.running.has(cellId)) await runner.stop();
    return deleted.delete(from, shape, cellId, session.cells.get(cellId));
  };

  async function settledWrites(): Promise<void> {
    await lastEdit;
    await superseded.settled();
    await lastRun.settledWrites();
    await folders.close();
  }

  return {
    directory,
    runner,
    reads,
    notebook: () => notebook,
    session: () => session,
    shape: () => shape,
    cellRecord: (cellId) => recordOf(cellOf(notebook, cellId)),
    cellRecords: () => notebook.cells.map(recordOf),
    dag: () => shape.dag,

    editCell: (cellId, source, { author, force, base, announce: shouldAnnounce = true }) =>
      edited(async () => {
        const seen = await seeSource(notebook, cellId, { source, base, force });
        notebook = seen.notebook;
        if (seen.refusal) {
          announce(host, await reshape());
          throw seen.refusal;
        }
        const held = locks.take(cellId, author, force);
        if (held) throw refusals.cellLocked(cellId, held.heldBy);
        if (cellOf(notebook, cellId).language === 'python') parts.analyseAhead(source);
        notebook = await setCellSource(notebook, cellId, source, author, { force });
        const changed = await reshape();
        if (shouldAnnounce) announce(host, changed);
        parts.onEdited([cellId, ...changed]);
        return changed;
      }),
    addCell: (wanted) =>
      edited(async () => {
        const added = await addCell(notebook, newCellIn(notebook, shape, wanted));
        notebook = added.notebook;
        await reshape();
        return added.cellId;
      }),
    deleteCell: (cellId) =>
      edited(async () => {
        const gone = await remove(notebook, cellId);
        notebook = gone.notebook;
        await reshape();
        return gone.warnings;
      }),

    restoreCell: (cellId) =>
      edited(async () => {
        if (notebook.cells.some(({ id }) => id === cellId)) return;
        const restored = await deleted.restore(notebook, cellId);
        if (!restored) throw refusals.cellNotRemembered(cellId);
        notebook = restored.notebook;
        applied({ type: 'returned', cellId, cell: restored.state });
        await reshape();
      }),
    reorderCells: (cellIds) =>
      edited(async () => {
        notebook = await reorderCells(notebook, cellIds);
        await reshape();
      }),
    choose: (cellId, usable) =>
      inTurn(async () => {
        assertFree('run');
        const values = usable(shape);
        const before = notes.of(cellId).widget_values;
        await notes.write(cellId, { widget_values: { ...before, ...values } });
        await reshape();
      }),
    lookAround: () => lookAround(host, execution.look, closing.signal),
    async note(cellId, change) {
      assertFree('edit');
      await inTurn(() => notes.write(cellId, change));
    },
    runTests: (cellId) =>
      runner.runBefore(cellId, async (signal) => {
        // What is tested is what stands there now, whatever is written meanwhile.
        const tested = testedState({ notebook: () => shaped, session: () => session }, cellId);
        return { run: await execution.test(cellId, signal), tested };
      }),
    change: (edit) =>
      edited(async () => {
        notebook = await edit(notebook, { shape, locks, remove });
        await reshape();
      }),
    refresh: (fetched = notebook.fetched) =>
      inTurn(async () => {
        notebook = { ...notebook, fetched };
        await reshape();
        return notebook.cells.map(({ id }) => id).filter((id) => session.cells.get(id)?.status !== 'ready');
      }),
    catchUp,
    reload: () =>
      inTurn(async () => {
        notebook = await readNotebook(directory, notebook);
        parts.onEdited(await reshape());
      }),

    async iterations(cellId, variable) {
      const carry = shape.cells.get(cellId)?.directives.loop?.carry || null;
      const asked = variable ?? carry;
      const records =
        carry === null || asked !== carry
          ? []
          : await iterations.records(cellId, session.cells.get(cellId)?.result?.iterations);
      return { variable: asked, records };
    },
    testResult: (cellId) => notes.of(cellId).test_result,
    shown: keptOf,
    imported: (cellId) => imported.of(cellId)?.outputs,
    results: (cellId) => resultRecords(history.all(cellId), session.cells.get(cellId)?.result?.key),
    kept: results.load,
    artifact: store.get,
    blobPath: store.blobPath,
    storedBytes: store.totalBytes,
    heldBack(reads) {
      const changed = reads.flatMap(
        ({ cell_id, bytes_to_move }) => applied({ type: 'heldBack', cellId: cell_id, bytes: bytes_to_move }).changed,
      );
      announce(host, changed);
    },
    waits(cells) {
      const changed = [...cells].flatMap(([cellId, waits]) => applied({ type: 'waits', cellId, waits }).changed);
      announce(host, changed);
    },
    announce: (cellIds) => announce(host, cellIds),
    cancel(cellId) {
      const cancelled = runner.cancel(cellId);
      if (!cancelled && session.cells.get(cellId)?.status === 'idle') announce(host, [cellId]);
      return cancelled;
    },
    estimate: (cellIds) => estimate(cellIds, { lastDuration }),
    impactOf: (cellId) => ({ above: cascadeTo(session, cellId), below: below(session, cellId) }),
    async inspect(request) {
      // What is typed there may write wherever a cell may.
      if (request.type !== 'inspect_close') assertFree('run');
      return inspectors.answer(request, () => execution.placeOf(request.payload.cell_id));
    },
    hints,
    closeInspectors: () => inspectors.close().catch(host.fault),
    totals: history.totals,

    assertFree,
    settledWrites,
    lastDuration,
    executionCount: (cellId) => history.lastRun(cellId)?.count ?? 0,
    isBusy: () => runner.active() !== null || environment.isBusy() || locks.anyHeld(),
    async stop() {
      closing.abort();
      filesRead.close();
      await runner.stop();
      await inspectors.close();
      await hints.close();
    },
    async close() {
      await settledWrites();
      await environment.close();
      await store.close();
    },
  };
}
