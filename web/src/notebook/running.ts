// Running and stopping. What was typed is always sent first, so what runs is what is seen.
import { kindOf, usualLanguage } from '../../../src/cellLanguages.ts';
import { type Cascade, isPreparing, type NotebookModel, reach, runningCell, type WholeRun } from '../state/index.ts';
import { browserKept } from '../ui/kept.ts';
import { withBreakpoints } from './breakpoints.ts';
import type { NotebookSession, RunKind } from './session.ts';
import { addCell } from './structure.ts';

function offline(session: NotebookSession): void {
  const text = 'Not connected: nothing can run now. What you type is kept and sent later.';
  session.store.send({ kind: 'noticed', text, tone: 'error' });
}

export function runCell(session: NotebookSession, cellId: string, kind: RunKind = 'cell_execute'): void {
  if (kindOf(session.store.get().cells.get(cellId)?.language ?? usualLanguage) === 'text') {
    session.link.flush(cellId);
    session.view.send({ kind: 'select', cellId });
    return;
  }
  session.link.flush();
  session.lastRun.cellId = cellId;
  const model = session.store.get();
  const waitsAs = model.queue.includes(cellId) ? session.runKinds.get(cellId) : undefined;
  const wanted = kind === 'cell_execute' ? (waitsAs ?? kind) : kind;
  session.runKinds.set(cellId, wanted);
  if (runningCell(model) || isPreparing(model)) session.store.send({ kind: 'queued', cellId });
  else if (!begin(session, cellId, wanted)) offline(session);
}

/** Cells stop at their breakpoints, however they come to run; but a failure is not gone through step by step to be inspected. */
const begin = (session: NotebookSession, cellId: string, kind: RunKind): boolean =>
  session.link.send(kind, { cell_id: cellId, ...(kind === 'cell_execute_inspect' ? {} : withBreakpoints(session)) });

/** Starts what waits, when nothing else runs or asks. */
export function runNextInQueue(session: NotebookSession): void {
  const model = session.store.get();
  if (model.connection !== 'live' || model.cascades.length > 0 || model.reads) return;
  if (runningCell(model) || isPreparing(model)) return;
  const { queue, waitingRun } = model;
  if (waitingRun !== null) {
    session.store.send({ kind: 'runWaits', run: null });
    runWhole(session, waitingRun);
    return;
  }
  const [next] = queue;
  if (next === undefined) return;
  session.store.send({ kind: 'unqueued', cellIds: [next] });
  runCell(session, next, session.runKinds.get(next));
}

/** Runs and goes to the next cell; behind the last one a new one is made. */
export function runAndAdvance(session: NotebookSession, cellId: string): void {
  runCell(session, cellId);
  const { order } = session.store.get();
  const next = order[order.indexOf(cellId) + 1];
  if (next === undefined) void addCell(session, cellId);
  else session.view.send({ kind: 'select', cellId: next });
}

export function runAndInsert(session: NotebookSession, cellId: string): void {
  runCell(session, cellId);
  void addCell(session, cellId);
}

/** Only what is not up to date is computed; the rest is reused. */
export const runOutdated = (session: NotebookSession): void => runWhole(session, 'notebook_run_all');

export const rerunEverything = (session: NotebookSession): void => runWhole(session, 'notebook_rerun_all');

function runWhole(session: NotebookSession, kind: WholeRun): void {
  session.link.flush();
  if (isPreparing(session.store.get())) {
    session.store.send({ kind: 'runWaits', run: kind });
  } else if (!session.link.send(kind, { continue_on_error: true, ...withBreakpoints(session) })) offline(session);
}

export function stopRunning(session: NotebookSession): void {
  session.store.send({ kind: 'runWaits', run: null });
  const { queue } = session.store.get();
  session.store.send({ kind: 'unqueued', cellIds: queue });
  const running = runningCell(session.store.get());
  if (running) session.link.send('cell_cancel', { cell_id: running.id });
}

/** Cells above run unasked when they took less than this together the last time. */
const askKey = 'svc.askAboveSeconds';
const usualSeconds = 2;
export function askAboveSeconds(): number {
  const chosen = browserKept.getItem(askKey);
  return chosen === null ? usualSeconds : chosen === 'never' ? Number.POSITIVE_INFINITY : Number(chosen);
}
export const chooseAskAbove = (seconds: number): void =>
  browserKept.setItem(askKey, seconds === Number.POSITIVE_INFINITY ? 'never' : String(seconds));

/** Whether the cells above are known to take so little that nobody wants to be asked. */
export function isCheap(
  model: NotebookModel,
  { cell_id, cells_to_run }: Pick<Cascade, 'cell_id' | 'cells_to_run'>,
  limit = askAboveSeconds() * 1000,
): boolean {
  if (limit === Number.POSITIVE_INFINITY) return true;
  const known = new Map(model.profile?.cell_profiles.map((cell) => [cell.cell_id, cell]));
  let total = 0;
  for (const cell of cells_to_run.filter((id) => id !== cell_id).map((id) => model.cells.get(id))) {
    if (!cell) return false;
    const { execution_count: count = 0, duration_ms: last = 0 } = known.get(cell.id) ?? {};
    const took = cell.durationMs ?? (count > 0 || last > 0 ? last : null);
    if (took === null && !cell.isDefinitions && !isImports(cell.source)) return false;
    total += took ?? 0;
  }
  return total < limit;
}

const isImports = (source: string): boolean => /^(\s*(#.*|(import|from)\s.+)?(\n|$))+$/.test(source);

export function confirmReads(session: NotebookSession): void {
  const { reads } = session.store.get();
  if (!reads) return;
  session.store.send({ kind: 'dismissed', what: 'reads' });
  if (!session.link.send('read_confirm', { prompt_id: reads.prompt_id })) offline(session);
}

export function confirmCascade(session: NotebookSession, cascade: Cascade): void {
  session.store.send({ kind: 'cascadeAnswered', cellId: cascade.cell_id });
  const { cell_id, plan_id } = cascade;
  session.link.send('cell_execute_cascade', { cell_id, plan_id, ...withBreakpoints(session) });
}

/** A plan is forgotten when anything else has run, and a question may stand for long: a yes is asked for anew, and holds. */
export function agreeToCascade(session: NotebookSession, cascade: Cascade): void {
  session.store.send({ kind: 'cascadeAnswered', cellId: cascade.cell_id });
  session.agreed.set(cascade.cell_id, cascade.cells_to_run);
  runCell(session, cascade.cell_id);
}

/** Whoever has waited for a package to be installed is not asked about so much more. */
const afterInstallMilliseconds = 30_000;

/** Runs a cell for which a package was installed. Cells above are out of date for that alone: those that take little run too. */
export function runAfterInstall(session: NotebookSession, cellId: string): void {
  const model = session.store.get();
  const cells_to_run = [...reach(model.edges, cellId, 'above')];
  if (isCheap(model, { cell_id: cellId, cells_to_run }, afterInstallMilliseconds))
    session.agreed.set(cellId, cells_to_run);
  runCell(session, cellId);
}

/** Whether a yes that was given covers the plan. It is used up by it. */
export function wasAgreedTo({ agreed }: NotebookSession, plan: { cell_id: string; cells_to_run: readonly string[] }) {
  const cells = agreed.get(plan.cell_id) ?? [];
  agreed.delete(plan.cell_id);
  return plan.cells_to_run.every((id) => cells.includes(id));
}

/** Of the field in which a cell is answered. */
export const questionFieldOf = (cellId: string): string => `question-${cellId}`;

/** To a cell that asks or is stopped; to its field, where it has one. */
export function goToQuestion({ view, lastRun }: NotebookSession, cellId: string, line: number | null): void {
  // A field that comes into sight with its cell takes the focus for whoever ran it.
  lastRun.cellId = cellId;
  view.send({ kind: 'select', cellId });
  view.send({ kind: 'jump', cellId, line });
  document.getElementById(questionFieldOf(cellId))?.focus();
}
