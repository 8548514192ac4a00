// An open notebook on this page: its model, its view, its connection, and texts that outlive the page.
import type { EditorSelection, EditorState } from '@codemirror/state';
import { frameProtocol, heartbeat } from '../../../src/protocol/frameVersion.ts';
import type { NotebookState } from '../../../src/protocol/index.ts';
import { address, tellSignedOut } from '../api/index.ts';
import {
  createStore,
  emptyModel,
  linkSession,
  type NotebookModel,
  reduce,
  type SessionLink,
  type SocketLike,
  type Store,
  type StoreEvent,
} from '../state/index.ts';
import { type Assistant, createAssistant } from './assistant.ts';
import { followComments } from './followComments.ts';
import { keepDrafts, keptDrafts } from './keptDrafts.ts';
import { keepPlace, keptPlace } from './keptPlace.ts';
import { createTypeahead, type Typeahead } from './typeahead.ts';
import { createUndo, type Undo } from './undoStack.ts';
import { createUploads, type Uploads } from './uploads.ts';
import { firstView, reduceView, type View, type ViewEvent } from './view.ts';
import { createWritingOn, type WritingOn } from './writingOn.ts';

/** In which way a cell is asked to run. */
export type RunKind = 'cell_execute' | 'cell_execute_rerun' | 'cell_execute_force' | 'cell_execute_inspect';

export interface NotebookSession {
  readonly sessionId: string;
  readonly isReadOnly: boolean;
  readonly store: Store<NotebookModel, StoreEvent>;
  readonly view: Store<View, ViewEvent>;
  readonly link: SessionLink;
  readonly undo: Undo;
  readonly typeahead: Typeahead;
  readonly writingOn: WritingOn;
  readonly uploads: Uploads;
  /** Whom one can ask for help. */
  readonly assistant: Assistant;
  /** Editors that are not on the page now, with their history and cursor. */
  readonly editors: Map<string, EditorState>;
  /** What the editor on the page holds now; null while nobody edits. */
  readonly editing: { state: (() => EditorState) | null };
  /** Where an editor begins that was open in the session before. */
  readonly cursors: Map<string, EditorSelection>;
  /** Cells that may run before another one, by that one: a yes that waits for its plan. */
  readonly agreed: Map<string, readonly string[]>;
  /** How each cell was asked to run here the last time: one that waits for its turn runs like that. */
  readonly runKinds: Map<string, RunKind>;
  /** The cell that was run last from this page. */
  readonly lastRun: { cellId: string | null };
  /** The server was started again while the page was open. */
  readonly isContinued: boolean;
  close(): void;
}

/** `before`: the session of the same notebook that this one takes the place of, since the server was started again. */
export function startSession(state: NotebookState, isReadOnly = false, before?: NotebookSession): NotebookSession {
  const store = createStore(reduce(emptyModel, { kind: 'loaded', state }), reduce);
  const view = createStore(before?.view.get() ?? firstView, reduceView);
  store.send({ kind: 'restored', drafts: keptDrafts(state.path) });
  if (before) store.send({ kind: 'brokenOff', cellIds: underWay(before.store.get()) });
  const [first] = state.cells;
  // A notebook that has only an empty cell is there to be written in.
  const isNew = state.cells.length === 1 && first?.source === '' && !isReadOnly;
  const place = state.cells.find(({ id }) => id === keptPlace(state.path)) ?? first;
  const stands = view.get().selected;
  const isThere = stands !== null && state.cells.some(({ id }) => id === stands);
  if (place && !isThere) view.send({ kind: 'select', cellId: place.id, mode: isNew ? 'edit' : 'command' });
  const link = linkSession({
    store,
    connect: () => openSocket(state.session_id, isReadOnly),
    soon: beforePaint,
    after: (milliseconds, call) => {
      const timer = setTimeout(call, milliseconds);
      return () => clearTimeout(timer);
    },
    readOnly: isReadOnly,
    heartbeat,
  });
  const typeahead = createTypeahead();
  // Somebody is writing: their next keys are for the editor to come.
  if (before?.editing.state && isThere) typeahead.wait('editor', 'cursor');
  const { assistant, stop: stopLooking } = createAssistant(state.session_id, store);
  const stopKeeping = [
    stopLooking,
    followComments(state.session_id, store),
    keepDrafts(store, state.path),
    keepPlace(view, state.path),
  ];
  const hurry = () => link.flush();
  window.addEventListener('pagehide', hurry);
  document.addEventListener('visibilitychange', hurry);
  return {
    sessionId: state.session_id,
    isReadOnly,
    store,
    view,
    link,
    undo: createUndo(),
    typeahead,
    writingOn: createWritingOn(store),
    uploads: createUploads(state.session_id),
    assistant,
    editors: new Map(),
    editing: { state: null },
    cursors: cursorsOf(before),
    agreed: new Map(),
    runKinds: new Map(before?.runKinds),
    lastRun: { cellId: null },
    isContinued: before !== undefined,
    close() {
      window.removeEventListener('pagehide', hurry);
      document.removeEventListener('visibilitychange', hurry);
      link.close();
      for (const stop of stopKeeping) stop();
    },
  };
}

/** What ran and what waited for its turn. Of a run of all cells the rest is still to be run, as the page says. */
const underWay = ({ order, cells, queue, brokenOff }: NotebookModel): readonly string[] =>
  order.filter((id) => cells.get(id)?.status === 'running' || queue.includes(id) || brokenOff.includes(id));

function cursorsOf(before: NotebookSession | undefined): Map<string, EditorSelection> {
  const cellId = before?.view.get().selected ?? '';
  const edited = before?.editing.state?.() ?? before?.editors.get(cellId);
  return new Map(edited ? [[cellId, edited.selection]] : []);
}

/** How the server closes the socket of somebody whose key has ended. */
const unauthorized = 1008;

function openSocket(sessionId: string, isReadOnly: boolean): SocketLike {
  // Whoever works on a page reads next what they have just made: it is kept, so that its cell need not run again.
  const wishes = isReadOnly ? 'role=viewer' : 'values=keep';
  const place = address(
    `/v1/notebooks/ws/${encodeURIComponent(sessionId)}?${wishes}&heartbeat=true&protocol=${frameProtocol}`,
  );
  const socket = new WebSocket(place.replace(/^http/, 'ws'));
  const like: SocketLike = {
    onopen: null,
    onclose: null,
    onmessage: null,
    send: (text) => socket.send(text),
    close: () => socket.close(),
  };
  socket.onopen = () => like.onopen?.();
  socket.onclose = (event) => {
    if (event.code === unauthorized) tellSignedOut();
    like.onclose?.(event);
  };
  socket.onmessage = (event) => like.onmessage?.({ data: String(event.data) });
  return like;
}

/** A hidden page paints never, and still has to hear. */
const beforePaint = (call: () => void): void => {
  if (document.visibilityState === 'hidden') setTimeout(call, 50);
  else requestAnimationFrame(call);
};
