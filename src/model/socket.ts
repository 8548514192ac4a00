// The connection to a session: gathers frames into batches, asks for the state after a hole, comes back after a break and
// sends what was typed meanwhile. Knows no React; time and sockets are handed in, so tests can drive it.

import { parseDigits } from '../exactJson.ts';
import type { ClientFrameType, ClientPayload, KnownFrame } from '../protocol/index.ts';
import { baseToSend } from './drafts.ts';
import type { NotebookModel } from './model.ts';
import type { StoreEvent } from './reduce.ts';
import type { Store } from './store.ts';

export interface SocketLike {
  onopen: (() => void) | null;
  onclose: ((event: { readonly code: number }) => void) | null;
  onmessage: ((event: { readonly data: string }) => void) | null;
  send(text: string): void;
  close(): void;
}

export interface SessionLink {
  /** False when there is no connection; nothing was sent. */
  send<T extends ClientFrameType>(type: T, payload: ClientPayload<T>): boolean;
  /** Sends every unsent draft now, or that of one cell. */
  flush(cellId?: string, force?: boolean): void;
  close(): void;
}

export interface LinkParts {
  readonly store: Store<NotebookModel, StoreEvent>;
  readonly connect: () => SocketLike;
  /** Gathers calls into one, soon: before the next paint. */
  readonly soon: (call: () => void) => void;
  readonly after: (milliseconds: number, call: () => void) => () => void;
  readonly readOnly?: boolean;
  /** What the other end says now and then, where it does: a line that is silent is cut, though nobody closed it. */
  readonly heartbeat?: string;
  /** True when a session that was closed for this reason is waited for as after a break; never, where nothing is said. */
  readonly comesBack?: (reason: string) => boolean;
}

const quietMilliseconds = 400;
const syncPauseMilliseconds = 250;
const firstRetryMilliseconds = 300;
const longestRetryMilliseconds = 8_000;
/** The other end says something every five seconds; twice in a row nothing was heard. */
const listenMilliseconds = 7_000;
const silentTimes = 2;

export function linkSession({
  store,
  connect,
  soon,
  after,
  readOnly = false,
  heartbeat,
  comesBack,
}: LinkParts): SessionLink {
  let socket: SocketLike | undefined;
  let isOpen = false;
  let isEnded = false;
  let waiting: KnownFrame[] = [];
  let retry = firstRetryMilliseconds;
  let stopTyping: (() => void) | undefined;
  let stopSync: (() => void) | undefined;
  let stopListening: (() => void) | undefined;
  let silent = 0;

  const send: SessionLink['send'] = (type, payload) => {
    if (!isOpen || !socket) return false;
    socket.send(JSON.stringify({ type, payload }));
    return true;
  };

  function deliver(): void {
    const frames = waiting;
    waiting = [];
    if (frames.length > 0) store.send({ kind: 'frames', frames });
  }

  function syncSoon(): void {
    stopSync ??= after(syncPauseMilliseconds, () => {
      stopSync = undefined;
      if (store.get().needsSync) send('notebook_sync', {});
    });
  }

  function flush(cellId?: string, force = false): void {
    if (!isOpen || readOnly) return;
    for (const [id, draft] of store.get().drafts) {
      if (cellId !== undefined && id !== cellId) continue;
      const held = draft.refused !== null || draft.theirs !== null;
      const base = baseToSend(draft);
      if (draft.text === base || (held && !force)) continue;
      const credit = draft.assistedBy === undefined ? {} : { assisted_by: draft.assistedBy };
      if (send('cell_source_update', { cell_id: id, source: draft.text, base, force, ...credit }))
        store.send({ kind: 'sent', cellId: id });
    }
  }

  function watchDrafts(): void {
    stopTyping?.();
    stopTyping = after(quietMilliseconds, () => flush());
  }

  function open(): void {
    if (isEnded) return;
    const opened = connect();
    socket = opened;
    listen();
    opened.onopen = () => {
      silent = 0;
      isOpen = true;
      retry = firstRetryMilliseconds;
      store.send({ kind: 'connection', connection: 'live' });
      send('notebook_sync', {});
      flush();
    };
    opened.onmessage = ({ data }) => {
      silent = 0;
      if (data === heartbeat) return;
      const frame = parseDigits(data) as KnownFrame;
      if (waiting.push(frame) === 1) soon(deliver);
    };
    opened.onclose = () => {
      stopListening?.();
      deliver();
      isOpen = false;
      const { closed } = store.get();
      if (isEnded || (closed && !comesBack?.(closed.reason))) return;
      if (closed) store.send({ kind: 'reopened' });
      store.send({ kind: 'connection', connection: 'offline' });
      after(retry, open);
      retry = Math.min(retry * 2, longestRetryMilliseconds);
    };
  }

  /** Also to a line that does not come about: the system would try for minutes. */
  function listen(): void {
    silent = 0;
    stopListening?.();
    if (heartbeat === undefined) return;
    const again = (): void => {
      silent += 1;
      if (silent <= silentTimes) stopListening = after(listenMilliseconds, again);
      else cut();
    };
    stopListening = after(listenMilliseconds, again);
  }

  /** As if it had been closed, which nobody at the other end will do. */
  function cut(): void {
    const left = socket;
    const over = left?.onclose;
    if (left) left.onopen = left.onmessage = left.onclose = null;
    left?.close();
    over?.({ code: 1006 });
  }

  let { drafts } = store.get();
  const unsubscribe = store.subscribe(() => {
    const model = store.get();
    if (model.needsSync && isOpen) syncSoon();
    if (model.drafts === drafts) return;
    drafts = model.drafts;
    watchDrafts();
  });

  open();
  return {
    send,
    flush,
    close() {
      flush();
      isEnded = true;
      isOpen = false;
      stopTyping?.();
      stopSync?.();
      stopListening?.();
      unsubscribe();
      socket?.close();
    },
  };
}
