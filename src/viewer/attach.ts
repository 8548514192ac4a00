// The link of the viewer to a session. It comes back by itself when the connection breaks, and when the server was started
// anew meanwhile it opens the notebook again by its path; only a session that somebody closed waits for a key.
import { WebSocket } from 'ws';
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
} from '../model/index.ts';
import { frameProtocol, type NotebookState } from '../protocol/index.ts';
import { ServerAway, type ViewedServer } from './server.ts';

export interface Attached {
  readonly store: Store<NotebookModel, StoreEvent>;
  sessionId(): string;
  /** Asks for the whole state; opens a session that was closed again. */
  resync(): void;
  close(): void;
}

/** At most this often are frames shown: a flood of them costs one drawing. */
const gatherMilliseconds = 30;

export function attach(server: ViewedServer, session: string | NotebookState): Attached {
  const known = typeof session === 'string' ? undefined : session;
  let sessionId = typeof session === 'string' ? session : session.session_id;
  const store = createStore(known ? reduce(emptyModel, { kind: 'loaded', state: known }) : emptyModel, reduce);
  let isEnded = false;

  /** Whether there is a session to go on with. */
  async function reopen(): Promise<void> {
    const { path } = store.get();
    if (path === '') return closed('not found');
    try {
      const state = await server.open(path);
      sessionId = state.session_id;
      store.send({ kind: 'loaded', state });
    } catch (error) {
      // A server that is away will be back; one that refuses has spoken.
      if (!(error instanceof ServerAway)) closed(error instanceof Error ? error.message : String(error));
    }
  }

  const closed = (reason: string): void =>
    store.send({ kind: 'closed', reason, message: 'The session is not there any more.' });

  function connect(): SocketLike {
    const place = `${server.address.replace(/^http/, 'ws')}/v1/notebooks/ws/${encodeURIComponent(sessionId)}`;
    const socket = new WebSocket(`${place}?role=viewer&protocol=${frameProtocol}`, { headers: server.headers });
    const like: SocketLike = {
      onopen: null,
      onclose: null,
      onmessage: null,
      send: (text) => socket.send(text),
      close: () => socket.close(),
    };
    let isRefused = false;
    socket.on('open', () => like.onopen?.());
    socket.on('message', (data) => like.onmessage?.({ data: String(data) }));
    socket.on('unexpected-response', async (_request, { statusCode }) => {
      isRefused = true;
      if (statusCode === 403) await reopen();
      like.onclose?.({ code: 1006 });
    });
    socket.on('error', () => {
      // What went wrong shows in the closing that follows.
    });
    socket.on('close', (code) => {
      if (!isRefused) like.onclose?.({ code });
    });
    return like;
  }

  const start = (): SessionLink =>
    linkSession({
      store,
      connect,
      soon: (call) => void setTimeout(call, gatherMilliseconds),
      after: (milliseconds, call) => {
        const timer = setTimeout(call, milliseconds);
        return () => clearTimeout(timer);
      },
      readOnly: true,
      // Its server stops, and may be on its way back already.
      comesBack: (reason) => reason === 'shutdown',
    });

  let link = start();

  async function openAgain(): Promise<void> {
    store.send({ kind: 'reopened' });
    await reopen();
    if (isEnded || store.get().closed) return;
    link.close();
    link = start();
  }

  return {
    store,
    sessionId: () => sessionId,
    resync() {
      if (store.get().closed) void openAgain();
      else link.send('notebook_sync', {});
    },
    close() {
      isEnded = true;
      link.close();
    },
  };
}
