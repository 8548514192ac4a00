// Workers that dial out, and the relay that servers reach them through.
import assert from 'node:assert/strict';
import { connect, createServer, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { type RunningRelay, startRelay } from '../src/relay/index.ts';
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
  while ((await fetch(`${address}/w/lab/health`)).status !== 200) await new Promise((resolve) => setImmediate(resolve));
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

describe('a worker behind a relay', () => {
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
    while (!(await (await fetch(`${relay.address}/w/lab/health`)).text()).includes('"active_executions":1'));
    wire.cut();
    assert.equal((await bundleOf(await running)).members['files/x.json'], '"survived"');
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
