// Opens a notebook: the shell around its state, put together of its parts. Edits happen in turn, runs are told to whoever
// watches, and everything that lasts is on disk before it is answered for.
import { can } from '../../cellLanguages.ts';
import { localWorker, resolveWorker } from '../annotations/index.ts';
import { cellOf } from '../document/index.ts';
import { inputFiles } from '../run/index.ts';
import { settingsAbove } from '../state/index.ts';
import { createCellInputs } from './cellInputs.ts';
import { createCellViews } from './cellViews.ts';
import { createLiveConsole } from './console.ts';
import type { Current } from './current.ts';
import { createEdits } from './edits.ts';
import { createExecution, type Execution } from './execution.ts';
import { createFilesRead } from './filesRead.ts';
import { createFinder } from './finder.ts';
import { createGate } from './gate.ts';
import { createHints, type Hints } from './hints.ts';
import { createInspectors } from './inspectors.ts';
import { createKeptCells, type KeptCells, type KeptRequest } from './keptCells.ts';
import { createKeptFailures } from './keptFailures.ts';
import { createLargeReads } from './largeReads.ts';
import { createLastRunNotes } from './lastRunNote.ts';
import type { LiveNotebook, LiveParts } from './live.ts';
import { lookAround } from './lookAround.ts';
import { createQuestions } from './questions.ts';
import { openRemembered, type Remembered } from './remembered.ts';
import { announce } from './runCell.ts';
import { createRunHost } from './runHost.ts';
import { createRunner } from './runner.ts';
import { createSoftLocks } from './softLocks.ts';
import { createSqlHints } from './sqlHints.ts';
import { createSupersededValues } from './superseded.ts';
import { testedState } from './tested.ts';
import { createUnkeptValues } from './unkeptValues.ts';
import { createWhereabouts } from './whereabouts.ts';

export type { EditOptions, EditTools, LiveNotebook, LiveParts } from './live.ts';

/** Everything that runs of the notebook stand on. */
function createRuns(parts: LiveParts, remembered: Remembered) {
  const { audience, store, notes, log } = parts;
  const { current, history, results } = remembered;
  const { notebook, session, shape } = current;
  const { directory } = notebook();
  const console = createLiveConsole(audience);
  const whereabouts = createWhereabouts(audience);
  const unkept = createUnkeptValues({ notes, session });
  const filesRead = createFilesRead({
    directory,
    kept: remembered.kept,
    session,
    onSeen: (files) => announce(host, current.apply({ type: 'filesSeen', files }).changed),
  });
  const execution = createExecution({
    ...parts,
    ...remembered,
    directory,
    kept: history,
    prints: filesRead.prints,
    now: () => ({ notebook: current.shaped(), session: session(), shape: shape() }),
  });
  const inputs = createCellInputs(
    (cellId) => machineOf(current, cellId),
    (type, payload) => audience.broadcast(type, payload),
  );
  const finder = createFinder({
    history,
    store,
    now: () => ({ notebook: notebook(), session: session(), shape: shape() }),
  });
  const superseded = createSupersededValues({
    history,
    results,
    keepSuperseded: parts.keepSuperseded,
    isUsed: (cellId, key) => session().cells.get(cellId)?.result?.key === key,
    onGone: (gone) => current.apply({ type: 'forgotten', results: gone }),
    fault: (error) => log.warning('Superseded values could not be removed', { error, path: directory }),
  });
  const failedCells = (): number => [...session().cells.values()].filter(({ status }) => status === 'error').length;
  const lastRun = createLastRunNotes(directory, failedCells);
  const keptCells = createKeptCells(parts.pythonRuntime, parts.keptLimits, (answer) =>
    audience.broadcast('widgets_kept', answer),
  );
  const questions = createQuestions({ audience, seconds: parts.questions.seconds });
  const failures = createKeptFailures(parts.questions.mostBytes, (error) => host.fault(error));
  const host = createRunHost({
    ...parts,
    keepsFailures: parts.questions.keepsFailures,
    attachesEditors: parts.questions.attachesEditors,
    questions,
    failures,
    keptCells,
    remembered,
    console,
    whereabouts,
    inputs,
    unkept,
    filesRead,
    execution,
    finder,
    superseded,
    lastRun,
  });
  return {
    console,
    whereabouts,
    questions,
    failures,
    keptCells,
    unkept,
    filesRead,
    execution,
    inputs,
    finder,
    superseded,
    lastRun,
    host,
    runner: createRunner(host),
  };
}

/** The worker that a cell is bound for. */
function machineOf({ notebook, shape }: Current, cellId: string): string {
  const form = shape().cells.get(cellId);
  return form ? resolveWorker(form.directives, cellOf(notebook(), cellId), notebook()).value : localWorker;
}

/** What the widgets of a kept cell say, or why its process cannot be kept. */
async function answerKept(request: KeptRequest, current: Current, kept: KeptCells, execution: Execution) {
  const { cell_id: cellId } = request.payload;
  const { source, language } = cellOf(current.notebook(), cellId);
  if (!can(language, 'hear widgets') || machineOf(current, cellId) !== localWorker) {
    const reason = 'only Python cells that run on this machine can be kept';
    return { cell_id: cellId, kept: false, messages: [], printed: '', reason };
  }
  return kept.answer(request, () => ({
    ...execution.placeOf(cellId),
    cellId,
    source,
    settings: settingsAbove(current.session(), cellId),
  }));
}

/** What whoever types is told, before anything has run and after. */
function createTyping(parts: LiveParts, { current, shown }: Remembered, execution: Execution): Hints {
  const { notebook, shape } = current;
  const now = () => ({ notebook: notebook(), shape: shape() });
  return createHints({
    runtime: parts.pythonRuntime,
    now,
    resultOf: shown,
    filesOf: (values) => inputFiles(parts.store, values),
    placeOf: execution.placeOf,
    query: createSqlHints({ connections: parts.connections, now, resultOf: shown }).complete,
  });
}

export async function openLiveNotebook(parts: LiveParts): Promise<LiveNotebook> {
  const { store, environment } = parts;
  const remembered = await openRemembered(parts);
  const { current } = remembered;
  const { notebook, session, shape } = current;
  const { directory } = notebook();
  const runs = createRuns(parts, remembered);
  const { runner, host, unkept, filesRead, execution, superseded, lastRun, questions, failures, keptCells } = runs;
  await filesRead.look(session().facts.keys());
  const gate = createGate({ environment, hold: parts.hold, isHere: parts.isHere, session });
  const locks = createSoftLocks(parts.lockSeconds);
  const closing = new AbortController();
  const inspectors = createInspectors(parts.pythonRuntime);
  const hints = createTyping(parts, remembered, execution);
  const tell = (cellIds: readonly string[]): void => announce(host, cellIds);

  async function reshape(): Promise<readonly string[]> {
    const advised = unkept.advised();
    return [...(await current.reshape()), ...advised, ...unkept.advised()];
  }

  async function settledWrites(): Promise<void> {
    await current.settled();
    await superseded.settled();
    await lastRun.settledWrites();
    await remembered.folders.close();
  }

  return {
    directory,
    runner,
    notebook,
    session,
    shape,
    hints,
    ...gate,
    ...createCellViews({ ...parts, ...runs, remembered }),
    ...createEdits({
      ...parts,
      ...runs,
      ...remembered,
      gate,
      locks,
      reshape,
      announce: tell,
      onEdited(cellIds) {
        keptCells.end(cellIds, 'the cell, or what it reads, was edited');
        parts.onEdited(cellIds);
      },
    }),
    reads: createLargeReads({
      limits: parts.readLimits,
      weigh: execution.weigh,
      machineOf: (cellId) => machineOf(current, cellId),
      wouldBeFound: runs.finder.wouldBeFound,
    }),
    catchUp: current.catchUp,
    announce: tell,
    lookAround: () => lookAround(host, execution.look, closing.signal),
    runTests: (cellId) =>
      runner.runBefore(cellId, async (signal) => {
        // What is tested is what stands there now, whatever is written meanwhile.
        const tested = testedState({ notebook: current.shaped, session }, cellId);
        return { run: await execution.test(cellId, signal), tested };
      }),
    heldBack: (reads) =>
      tell(
        reads.flatMap(
          ({ cell_id, bytes_to_move }) =>
            current.apply({ type: 'heldBack', cellId: cell_id, bytes: bytes_to_move }).changed,
        ),
      ),
    waits: (cells) =>
      tell([...cells].flatMap(([cellId, waits]) => current.apply({ type: 'waits', cellId, waits }).changed)),
    cancel(cellId) {
      const cancelled = runner.cancel(cellId);
      if (!cancelled && session().cells.get(cellId)?.status === 'idle') tell([cellId]);
      // The run is over; what may be left of it is the process of its failure.
      if (!cancelled) failures.leave(cellId).catch(host.fault);
      return cancelled;
    },
    async keptCell(request) {
      if (request.type !== 'widgets_release') gate.assertFree('run');
      return answerKept(request, current, keptCells, execution);
    },
    async inspect(request) {
      // What is typed there may write wherever a cell may.
      if (request.type !== 'inspect_close') gate.assertFree('run');
      return inspectors.answer(request, () => execution.placeOf(request.payload.cell_id));
    },
    questions,
    async closeInspectors() {
      await Promise.all([inspectors.close(), failures.close(), keptCells.close()]).catch(host.fault);
    },
    settledWrites,
    isBusy: () => runner.active() !== null || environment.isBusy() || locks.anyHeld(),
    async stop() {
      closing.abort();
      filesRead.close();
      await runner.close();
      await failures.close();
      await inspectors.close();
      await keptCells.close();
      await hints.close();
    },
    async close() {
      await settledWrites();
      await environment.close();
      await store.close();
    },
  };
}
