// What happens by itself when the model changes: remembered cascades run, ends of runs are told, focus is shared.
import { useEffect } from 'react';
import { usualLanguage } from '../../../src/cellLanguages.ts';
import { type CellModel, labelOf, type NotebookModel, runningCell } from '../state/index.ts';
import { announce } from '../ui/index.ts';
import { confirmCascade, isCheap, runNextInQueue, wasAgreedTo } from './running.ts';
import type { NotebookSession } from './session.ts';

/** Durations come with the profile; it is asked for again when runs have ended. */
const profileMilliseconds = 600;
/** Between two cells of one run nothing seems to run; what waits is tried after a moment. */
const queueMilliseconds = 120;

/** Whoever was in a cell that is gone, by an undo or by somebody else, stands in what took its place. */
function leaveGone(session: NotebookSession, before: NotebookModel): void {
  const { store, view, writingOn } = session;
  const { order, orphans } = store.get();
  const { selected, mode } = view.get();
  if (selected === null || order.includes(selected) || !before.order.includes(selected)) return;
  const place = before.order.indexOf(selected);
  const next =
    before.order.slice(place).find((id) => order.includes(id)) ?? before.order.findLast((id) => order.includes(id));
  view.send({ kind: 'select', cellId: next ?? null });
  if (mode !== 'edit') return;
  const { language = usualLanguage, source = '' } = before.cells.get(selected) ?? {};
  const isKept = orphans.length > before.orphans.length;
  writingOn.begin(isKept || source !== '' ? undefined : { language, text: '' });
  // What the server had taken is no draft, and gone with the cell.
  if (!isKept && source !== '')
    queueMicrotask(() =>
      store.send({
        kind: 'orphaned',
        orphan: { language, text: source, from: { cellId: selected, base: source } },
      }),
    );
}

/** A cell that ran once more to be looked into, and by then nobody looks any more. */
const isClosedHere = ({ runKinds, view }: NotebookSession, cellId: string): boolean =>
  runKinds.get(cellId) === 'cell_execute_inspect' && view.get().tools.get(cellId) !== 'failure';

const hasFailed = ({ status, question }: CellModel): boolean =>
  status !== 'running' && question?.kind === 'debug' && question.reason === 'failure';

/** Whoever closes a failure is done with it, whatever its process is at. One that comes later than that is ended when it does. */
function endFailure({ store, link, isReadOnly }: NotebookSession, cellId: string): void {
  const isRunning = store.get().cells.get(cellId)?.status === 'running';
  if (!isReadOnly && !isRunning) link.send('cell_cancel', { cell_id: cellId });
}

/** Texts that were refused since their cell ran. */
const waitingTexts = (model: NotebookModel): readonly string[] =>
  runningCell(model) === undefined
    ? [...model.drafts].flatMap(([id, { refused, theirs }]) => (refused?.isBusy && theirs === null ? [id] : []))
    : [];

function saveWaitingTexts({ store, link }: NotebookSession): void {
  for (const cellId of waitingTexts(store.get())) {
    store.send({ kind: 'keptMine', cellId });
    link.flush(cellId);
  }
}

export function useReactions(session: NotebookSession): void {
  useEffect(() => {
    const { store, view, link } = session;
    let before = store.get();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let turn: ReturnType<typeof setTimeout> | undefined;
    const askProfile = () => {
      if (session.isReadOnly) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        link.send('profiling_request', {});
      }, profileMilliseconds);
    };
    const stopStore = store.subscribe(() => {
      const now = store.get();
      const asked = now.cascades.at(-1);
      if (asked && !before.cascades.includes(asked) && (wasAgreedTo(session, asked) || isCheap(now, asked)))
        confirmCascade(session, asked);
      if (now.connection !== before.connection) {
        if (now.connection === 'live') askProfile();
        if (before.connection === 'offline' && now.connection === 'live') announce('Connected again');
        if (now.connection === 'offline') announce('The connection broke. What you type is kept.');
      }
      if (now.cells !== before.cells) {
        for (const [id, cell] of now.cells) {
          const was = before.cells.get(id);
          if (was === cell) continue;
          const { question } = cell;
          if (hasFailed(cell) && !(was && hasFailed(was)) && isClosedHere(session, id)) endFailure(session, id);
          if (question && question !== was?.question)
            announce(
              question.kind === 'debug'
                ? `${labelOf(now, id)} is stopped`
                : `${labelOf(now, id)} asks: ${question.prompt}`,
            );
          if (was?.status !== 'running' || cell.status === 'running') continue;
          announce(
            `${labelOf(now, id)} ${cell.status === 'ready' ? 'is ready' : cell.status === 'error' ? 'failed' : 'stopped'}`,
          );
          session.agreed.delete(id);
          askProfile();
        }
      }
      if (now.order !== before.order) leaveGone(session, before);
      if (now.queue.length > 0 || now.waitingRun !== null || waitingTexts(now).length > 0)
        turn ??= setTimeout(() => {
          turn = undefined;
          saveWaitingTexts(session);
          runNextInQueue(session);
        }, queueMilliseconds);
      before = now;
    });
    let { tools } = view.get();
    let focused: string | null = null;
    const stopView = view.subscribe(() => {
      const { selected, tools: toolsNow } = view.get();
      for (const [cellId, tool] of tools)
        if (tool === 'failure' && toolsNow.get(cellId) !== 'failure') endFailure(session, cellId);
      tools = toolsNow;
      if (selected === focused || session.isReadOnly) return;
      focused = selected;
      link.send('cell_focus', { cell_id: selected });
    });
    return () => {
      clearTimeout(timer);
      clearTimeout(turn);
      stopStore();
      stopView();
    };
  }, [session]);
}
