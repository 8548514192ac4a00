// Workers that dial out, and the relay that servers reach them through.
import assert from 'node:assert/strict';
import { on, once } from 'node:events';
import fs from 'node:fs';
import http, { ServerResponse } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import { keepAlive } from '../src/relay/alive.ts';
import { pieces, received } from '../src/relay/frames.ts';
import { connectToRelay, type RunningRelay, startRelay } from '../src/relay/index.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { specOf } from './kit/remote.ts';
import { startServer } from './kit/server.ts';
import { until } from './kit/until.ts';
import { bundleOf, cellForm, startWorker, type TestWorker } from './kit/worker.ts';

const headers = { authorization: 'Bearer request-token' };
const env = { SVC_WORKER_TOKEN: 'request-token', SVC_WORKER_CONNECT_TOKEN: 'connect-token' };

async function relayFor(context: TestContext): Promise<RunningRelay> {
  const relay = await startRelay({ host: '127.0.0.1', port: 0, token: 'connect-token', graceSeconds: 20 });
  context.after(() => relay.close());
  return relay;
}

async function dialled(context: TestContext, url: string): Promise<TestWorker> {
  const worker = await startWorker({ env, args: ['--connect', `${url.replace('http', 'ws')}/w/lab`] });
  context.after(() => worker[Symbol.asyncDispose]());
  return worker;
}

/** Resolves when the worker answers through the relay. */
async function reached({ address }: RunningRelay): Promise<void> {
  await until(async () => (await fetch(`${address}/w/lab/health`)).status === 200, 'the worker is at the relay');
}

const execute = (relay: RunningRelay, source: string): Promise<Response> =>
  fetch(`${relay.address}/w/lab/v1/execute`, { method: 'POST', body: cellForm(source, {}), headers });

/** Passes bytes on until it is told to break all connections. */
async function brittleWire(context: TestContext, target: string): Promise<{ url: string; cut(): void }> {
  const { port } = new URL(target);
  const open = new Set<Socket>();
  const wire = createServer((near) => {
    const far = connect(Number(port), '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve));
  context.after(() => wire.close());
  const address = wire.address();
  assert.ok(address !== null && typeof address === 'object');
  return {
    url: `http://127.0.0.1:${address.port}`,
    cut() {
      for (const socket of open) socket.destroy();
    },
  };
}

interface HangingWorker {
  readonly relays: WebSocketServer;
  /** The relay's end of the connection. */
  readonly socket: WebSocket;
  /** What the worker was asked, and never answers. */
  readonly requests: { next(): Promise<ServerResponse> };
  saysNext(): Promise<unknown>;
}

/** A worker that answers nothing, connected to a relay that the test plays. */
async function hangingWorker(context: TestContext, options: { graceSeconds: number }): Promise<HangingWorker> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-relay-'));
  const target = path.join(folder, 'worker');
  const worker = http.createServer();
  const asked = on(worker, 'request');
  worker.listen(target);
  const relays = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(relays, 'listening');
  const place = relays.address();
  assert.ok(place !== null && typeof place === 'object');
  const stopping = new AbortController();
  const log = { info() {}, warning() {} };
  const url = `ws://127.0.0.1:${place.port}/w/lab`;
  const connecting = connectToRelay({ url, token: null, target, log, signal: stopping.signal, ...options });
  context.after(async () => {
    stopping.abort();
    for (const client of relays.clients) client.terminate();
    relays.close();
    await connecting;
    worker.closeAllConnections();
    worker.close();
    fs.rmSync(folder, { recursive: true });
  });
  const [socket]: WebSocket[] = await once(relays, 'connection');
  assert.ok(socket);
  const said = on(socket, 'message');
  return {
    relays,
    socket,
    requests: {
      next: async () => z.tuple([z.unknown(), z.instanceof(ServerResponse)]).parse((await asked.next()).value)[1],
    },
    async saysNext() {
      const [data] = z.tuple([z.instanceof(Buffer), z.boolean()]).parse((await said.next()).value);
      return JSON.parse(data.toString());
    },
  };
}

describe('a worker behind a relay', () => {
  it('lets cells tell what they touched there: a repeat runs them, and cells below go on with what is stored', async (context) => {
    const relay = await relayFor(context);
    await dialled(context, relay.address);
    await reached(relay);
    await using server = await startServer({ env: { TEST_WORKER_TOKEN: 'request-token' } });
    const notebook = await createTestNotebook(server, 'Relayed');
    const workers = [specOf('lab', `${relay.address}/w/lab`)];
    assert.equal((await notebook.request('PUT', '/workers', { workers })).status, 200);
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-touched-'));
    context.after(() => fs.rmSync(folder, { recursive: true, force: true }));
    const prices = path.join(folder, 'prices.csv');
    fs.writeFileSync(prices, '1');
    const reads = await notebook.add(`# @worker lab\nprice = open("${prices}").read()\nopen("own.txt", "w").close()`);
    const below = await notebook.add('price + "!"');
    await notebook.run(below);
    const { read, written, worker } = (await notebook.cell(reads)).effects ?? {};
    assert.deepEqual({ read, written, worker }, { read: [prices], written: ['own.txt'], worker: 'lab' });
    fs.writeFileSync(prices, '2');
    assert.equal((await notebook.run(below)).cache_hit, true);
    assert.equal((await notebook.run(reads)).cache_hit, false);
    await notebook.run(below);
    assert.equal((await notebook.cell(below)).display_output?.preview, '2!');
  });

  it('is asked like any other, many things at a time', async (context) => {
    const relay = await relayFor(context);
    await dialled(context, relay.address);
    await reached(relay);
    const answers = await Promise.all(
      Array.from({ length: 10 }, async (_, n) => (await bundleOf(await execute(relay, `n = ${n}`))).members),
    );
    assert.deepEqual(
      answers.map((members) => members['files/n.json']),
      Array.from({ length: 10 }, (_, n) => String(n)),
    );
    const big = await bundleOf(await execute(relay, 'big = "x" * 5_000_000'));
    assert.equal(big.members['files/big.json']?.length, 5_000_002);
    const refused = await fetch(`${relay.address}/w/lab/v1/execute`, { method: 'POST' });
    assert.equal(refused.status, 401);
    assert.equal((await fetch(`${relay.address}/w/nobody/health`)).status, 503);
  });

  it('finishes a running cell over a new connection when the old one breaks', async (context) => {
    const relay = await relayFor(context);
    const wire = await brittleWire(context, relay.address);
    await dialled(context, wire.url);
    await reached(relay);
    const running = execute(relay, 'import time\ntime.sleep(1.5)\nx = "survived"');
    await until(
      async () => (await (await fetch(`${relay.address}/w/lab/health`)).text()).includes('"active_executions":1'),
      'the worker runs the cell',
    );
    wire.cut();
    assert.equal((await bundleOf(await running)).members['files/x.json'], '"survived"');
  });

  it('that says things in no order fails its caller, and not the relay', async (context) => {
    const relay = await relayFor(context);
    const dial = { headers: { authorization: 'Bearer connect-token' } };
    const socket = new WebSocket(`${relay.address.replace('http', 'ws')}/w/lab`, ['svc-worker-connect.v1'], dial);
    context.after(() => socket.terminate());
    const lies: ((id: number) => object[])[] = [
      (id) => [{ type: 'response', id, status: 200, headers: [['x', 'a\nb']] }],
      (id) => [
        { type: 'response', id, status: 101 },
        { type: 'abort', id },
      ],
      (id) => [{ type: 'end', id }],
      (id) => [
        { type: 'response', id, status: 200 },
        { type: 'response', id, status: 200 },
      ],
    ];
    socket.on('message', (data, isBinary) => {
      const message = received(data, isBinary);
      if (message?.type !== 'end') return;
      for (const said of lies.shift()?.(message.id) ?? []) socket.send(JSON.stringify(said));
    });
    await once(socket, 'open');
    const asked = async (): Promise<string> => {
      try {
        const answer = await fetch(`${relay.address}/w/lab/health`);
        return `${answer.status} ${await answer.text()}`;
      } catch {
        return 'it broke off';
      }
    };
    assert.deepEqual(
      [await asked(), await asked(), await asked(), await asked()],
      [
        '502 {"detail":"The worker sent headers that are none."}',
        '502 {"detail":"The worker broke off."}',
        '502 {"detail":"The worker broke off."}',
        'it broke off',
      ],
    );
  });

  it('answers no request of a new relay with what an old one asked', async (context) => {
    const relays = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    context.after(() => relays.close());
    await once(relays, 'listening');
    const place = relays.address();
    assert.ok(place !== null && typeof place === 'object');
    const connections = on(relays, 'connection');
    const next = async (): Promise<WebSocket> => {
      const [socket] = z.tuple([z.instanceof(WebSocket), z.unknown()]).parse((await connections.next()).value);
      return socket;
    };
    await dialled(context, `http://127.0.0.1:${place.port}`);

    interface Asked {
      readonly method: string;
      readonly path: string;
      readonly headers?: readonly [string, string][];
      readonly body?: Buffer;
    }
    /** What is answered to the request of this number. */
    const ask = (socket: WebSocket, id: number, { method, path, headers: more = [], body }: Asked) =>
      new Promise<string>((resolve) => {
        let text = '';
        socket.on('message', (data, isBinary) => {
          const message = received(data, isBinary);
          if (!message || message.type === 'awaited' || message.id !== id) return;
          if (message.type === 'response') text = `${message.status} `;
          if (message.type === 'piece') text += message.bytes.toString();
          if (message.type === 'end') resolve(text);
        });
        const whole = [...Object.entries(headers), ...more];
        socket.send(JSON.stringify({ type: 'request', id, method, path, headers: whole }));
        for (const piece of pieces(id, body ?? Buffer.alloc(0))) socket.send(piece);
        socket.send(JSON.stringify({ type: 'end', id }));
      });
    const health = { method: 'GET', path: '/health' };
    const first = await next();
    assert.match(await ask(first, 1, { ...health, method: 'NO METHOD' }), /^400 /);
    const form = new Response(cellForm('import time\ntime.sleep(5)\nold = 1', {}));
    const type = form.headers.get('content-type') ?? '';
    const body = Buffer.from(await form.arrayBuffer());
    void ask(first, 1, { method: 'POST', path: '/v1/execute', headers: [['content-type', type]], body });
    for (let id = 2; !(await ask(first, id, health)).includes('"active_executions":1'); id += 1);
    first.terminate();
    assert.match(await ask(await next(), 1, health), /^200 \{"status":"healthy"/);
  });

  it('ends a cell whose caller has gone, as one that is asked directly does', async (context) => {
    const relay = await relayFor(context);
    await dialled(context, relay.address);
    await reached(relay);
    const caller = new AbortController();
    const body = cellForm('import time\ntime.sleep(1000)', { params: { timeout_seconds: 1000 } });
    const place = `${relay.address}/w/lab/v1/execute`;
    const running = fetch(place, { method: 'POST', body, headers, signal: caller.signal });
    const isBusy = async (): Promise<boolean> =>
      (await (await fetch(`${relay.address}/w/lab/health`)).text()).includes('"active_executions":1');
    await until(isBusy, 'the worker runs the cell');
    caller.abort();
    await assert.rejects(running, { name: 'AbortError' });
    await until(async () => !(await isBusy()), 'the worker runs nothing');
  });

  it('and its relay go on with what both know of when the connection is back', async (context) => {
    const relay = await relayFor(context);
    const dial = async (): Promise<{ socket: WebSocket; messages: AsyncIterator<unknown> }> => {
      const names = { authorization: 'Bearer connect-token', 'x-svc-worker-instance': 'one' };
      const place = `${relay.address.replace('http', 'ws')}/w/lab`;
      const socket = new WebSocket(place, ['svc-worker-connect.v1'], { headers: names });
      context.after(() => socket.terminate());
      const messages = on(socket, 'message');
      await once(socket, 'open');
      return { socket, messages };
    };
    const said = async (messages: AsyncIterator<unknown>): Promise<unknown> => {
      const [data] = z.tuple([z.instanceof(Buffer), z.boolean()]).parse((await messages.next()).value);
      return JSON.parse(data.toString());
    };
    const first = await dial();
    assert.deepEqual(await said(first.messages), { type: 'awaited', ids: [] });
    const asked = fetch(`${relay.address}/w/lab/health`);
    const { id } = z.looseObject({ type: z.literal('request'), id: z.int() }).parse(await said(first.messages));
    assert.deepEqual(await said(first.messages), { type: 'end', id });
    // It says that it is done, and the words are lost on the way.
    first.socket.terminate();
    const second = await dial();
    assert.deepEqual(await said(second.messages), { type: 'awaited', ids: [id] });
    second.socket.send(JSON.stringify({ type: 'abort', id }));
    const answer = await asked;
    assert.deepEqual([answer.status, await answer.text()], [502, '{"detail":"The worker broke off."}']);
  });

  it('ends what no relay waits for, and says what it does not know', async (context) => {
    const { socket, requests, saysNext } = await hangingWorker(context, { graceSeconds: 20 });
    socket.send(JSON.stringify({ type: 'request', id: 7, method: 'GET', path: '/' }));
    socket.send(JSON.stringify({ type: 'end', id: 7 }));
    const ended = once(await requests.next(), 'close');
    socket.send(JSON.stringify({ type: 'awaited', ids: [8] }));
    await ended;
    assert.deepEqual(await saysNext(), { type: 'abort', id: 8 });
  });

  it('ends what it was asked when no relay comes back', async (context) => {
    const { socket, requests, relays } = await hangingWorker(context, { graceSeconds: 0.1 });
    socket.send(JSON.stringify({ type: 'request', id: 7, method: 'GET', path: '/' }));
    socket.send(JSON.stringify({ type: 'end', id: 7 }));
    const ended = once(await requests.next(), 'close');
    relays.close();
    socket.terminate();
    await ended;
  });

  it('is noticed when it is gone without a word', async (context) => {
    const relays = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    context.after(() => relays.close());
    await once(relays, 'listening');
    const place = relays.address();
    assert.ok(place !== null && typeof place === 'object');
    const silent = new WebSocket(`ws://127.0.0.1:${place.port}`, { autoPong: false });
    const [socket]: WebSocket[] = await once(relays, 'connection');
    assert.ok(socket);
    keepAlive(socket, 50);
    await once(silent, 'close');
  });

  it('ends when the relay will not have it', async (context) => {
    const relay = await relayFor(context);
    const args = ['--connect', `${relay.address.replace('http', 'ws')}/w/lab`];
    const worker = await startWorker({ env: { ...env, SVC_WORKER_CONNECT_TOKEN: 'wrong' }, args });
    const code = await new Promise((resolve) =>
      worker.process.exitCode === null ? worker.process.on('exit', resolve) : resolve(worker.process.exitCode),
    );
    assert.equal(code, 1);
    assert.match(worker.output(), /the relay answered 401/);
  });
});
