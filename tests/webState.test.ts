// The state of the web app against a real server: whatever is lost, doubled or cut off on the way, in the end the page
// shows what the server has, and nothing that was typed is gone.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import {
  createStore,
  emptyModel,
  linkSession,
  type NotebookModel,
  reduce,
  type SocketLike,
  type Store,
  type StoreEvent,
  textOf,
} from '../src/model/index.ts';
import { type NotebookState, serverFrames } from '../src/protocol/index.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { createRandom, type RandomSource } from './kit/random.ts';
import { startServer } from './kit/server.ts';

type ModelStore = Store<NotebookModel, StoreEvent>;

const after = (milliseconds: number, call: () => void): (() => void) => {
  const timer = setTimeout(call, milliseconds);
  return () => clearTimeout(timer);
};

/** A connection that loses and doubles frames, and breaks. `cut` ends the one that is open. */
function flakySockets(place: string, random: RandomSource, isFlaky = true) {
  let open: WebSocket | undefined;
  const connect = (): SocketLike => {
    const socket = new WebSocket(place);
    const like: SocketLike = {
      onopen: null,
      onclose: null,
      onmessage: null,
      send: (text) => socket.send(text),
      close: () => socket.close(),
    };
    socket.onopen = () => like.onopen?.();
    socket.onclose = ({ code }) => like.onclose?.({ code });
    socket.onmessage = ({ data }) => {
      const chance = isFlaky ? random.next() : 1;
      if (chance < 0.1) return;
      like.onmessage?.({ data: String(data) });
      if (chance < 0.2) like.onmessage?.({ data: String(data) });
    };
    open = socket;
    return like;
  };
  return {
    connect,
    cut: () => open?.close(),
    heal() {
      isFlaky = false;
    },
  };
}

const until = (store: ModelStore, fits: (model: NotebookModel) => boolean): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (!fits(store.get())) return;
      unsubscribe();
      resolve();
    };
    const unsubscribe = store.subscribe(look);
    look();
  });

/** What both sides must agree on. */
const shown = (model: NotebookModel) =>
  model.order.map((id) => {
    const cell = model.cells.get(id);
    return {
      id,
      text: textOf(model, id),
      status: cell?.status,
      defines: cell?.defines,
      upstream: cell?.upstream,
      displays: cell?.displays,
      stdout: cell?.stdout,
      error: cell?.problem?.text,
    };
  });

const loaded = (state: NotebookState): NotebookModel => reduce(emptyModel, { kind: 'loaded', state });

describe('the state of the web app', () => {
  it('agrees with the server after losses, doubles and breaks', async (t) => {
    const random = createRandom((line) => t.diagnostic(line));
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    const ids = [
      await notebook.add('a = 1\na'),
      await notebook.add('b = a + 1\nprint(b)'),
      await notebook.add('c = b'),
    ];
    const place = `${server.address.replace(/^http/, 'ws')}/v1/notebooks/ws/${notebook.sessionId}`;
    const sockets = flakySockets(place, random);
    const store = createStore(loaded(await notebook.state()), reduce);
    const link = linkSession({ store, connect: sockets.connect, soon: queueMicrotask, after });
    await until(store, ({ connection }) => connection === 'live');

    for (let step = 0; step < 60; step += 1) await act(random, store, notebook, sockets, ids);

    // What was typed last must arrive, whatever happened to it on the way.
    const [first = ''] = ids;
    if (store.get().cells.has(first)) store.send({ kind: 'typed', cellId: first, text: 'a = 1\nfinal = a' });
    sockets.heal();
    sockets.cut();
    await until(store, ({ connection }) => connection === 'offline');
    await until(store, ({ connection }) => connection === 'live');
    await until(
      store,
      ({ drafts, needsSync }) => [...drafts.values()].every(({ theirs }) => theirs !== null) && !needsSync,
    );
    for (const [cellId] of store.get().drafts) store.send({ kind: 'keptMine', cellId });
    link.flush(undefined, true);
    await until(store, ({ drafts, needsSync }) => drafts.size === 0 && !needsSync);
    // What a run changed last may still be on its way.
    for (let look = 0; look < 50; look += 1) {
      if (isDeepStrictEqual(shown(store.get()), shown(loaded(await notebook.state())))) break;
    }
    link.close();
    assert.deepEqual(shown(store.get()), shown(loaded(await notebook.state())));
  });

  it('runs what is seen, also while the server still reads what was typed before', async () => {
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    const cellId = await notebook.add('print("as it was")');
    const place = `${server.address.replace(/^http/, 'ws')}/v1/notebooks/ws/${notebook.sessionId}`;
    const store = createStore(loaded(await notebook.state()), reduce);
    const { connect } = flakySockets(
      place,
      createRandom(() => {}),
      false,
    );
    const link = linkSession({ store, connect, soon: queueMicrotask, after });
    await until(store, ({ connection }) => connection === 'live');
    for (const text of ['print("half', 'print("half")', 'print("whole")']) {
      store.send({ kind: 'typed', cellId, text });
      link.flush();
    }
    link.send('cell_execute', { cell_id: cellId });
    await until(store, ({ cells }) => cells.get(cellId)?.status === 'ready');
    const cell = store.get().cells.get(cellId);
    assert.deepEqual([cell?.stdout, cell?.source, store.get().drafts.size], ['whole\n', 'print("whole")', 0]);
    link.close();
    assert.equal(link.send('notebook_sync', {}), false);
  });

  it('has a schema for every frame that the server sends', async () => {
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    const first = await notebook.add('import nothing_of_that_name');
    const second = await notebook.add('x = 1\nprint(x)\nx');
    await notebook.run(second);
    await notebook.run(first);
    for (const [type, payload] of [
      ['notebook_sync', {}],
      ['profiling_request', {}],
      ['impact_preview_request', { cell_id: second }],
      ['cell_source_update', { cell_id: second, source: 'x = 2' }],
      ['cell_execute', { cell_id: 'nowhere' }],
    ] as const)
      notebook.socket.send(type, payload);
    await notebook.socket.frame(({ type, payload }) => type === 'error' && payload.error === 'Cell nowhere not found');
    const problems = notebook.socket.frames.flatMap(({ type, payload }) => {
      const schema = Object.entries(serverFrames).find(([name]) => name === type)?.[1];
      if (!schema) return [`${type} is not known`];
      const read = schema.safeParse(payload);
      return read.success ? [] : [`${type}: ${read.error.message}`];
    });
    assert.deepEqual(problems, []);
  });
});

async function act(
  random: RandomSource,
  store: ModelStore,
  notebook: TestNotebook,
  sockets: ReturnType<typeof flakySockets>,
  ids: string[],
): Promise<void> {
  const cellId = ids[random.below(ids.length)] ?? '';
  const number = random.below(1000);
  switch (random.below(6)) {
    case 0:
    case 1:
      return store.send({ kind: 'typed', cellId, text: `a = ${number}\nprint(a)` });
    case 2:
      return void (await notebook.request('PUT', `/cells/${cellId}`, { source: `b = ${number}`, force: true }));
    case 3:
      return void (await notebook.request('POST', `/cells/${cellId}/execute`));
    case 4:
      return void ids.push(await notebook.add(`v${number} = ${number}`));
    case 5: {
      if (random.next() < 0.4) sockets.cut();
      else await notebook.request('PUT', '/cells/reorder', { cell_ids: [...ids].reverse() });
    }
  }
}
