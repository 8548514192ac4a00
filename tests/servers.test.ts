// A service of several servers, one after the other of which is stopped, killed or paused: whoever works goes on, through whichever
// server they come.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { it, type TestContext } from 'node:test';
import { setTimeout as passed } from 'node:timers/promises';
import { tableFromIPC } from '@uwdata/flechette';
import { cellRecord, executeBody, notebookState } from '../src/protocol/index.ts';
import { startBalancer } from './kit/balancer.ts';
import { environmentReady } from './kit/notebook.ts';
import { bucket, startObjectStore } from './kit/objectStores.ts';
import { freePort } from './kit/ports.ts';
import { startPostgres } from './kit/postgres.ts';
import { type Answer, createRest, type RequestOptions } from './kit/rest.ts';
import { order } from './kit/scan.ts';
import { type Environment, startServer, type TestServer } from './kit/server.ts';
import { asserted, proxyEnvironment } from './kit/service.ts';
import { openSocket } from './kit/socket.ts';
import { createWarehouse } from './kit/warehouse.ts';

interface Deployment {
  readonly ports: readonly number[];
  /** The server on this port, again. */
  start(port: number): Promise<TestServer>;
}

/** Undefined after the test was marked as skipped. */
async function deployment(t: TestContext, env: Environment = {}): Promise<Deployment | undefined> {
  const [postgres, objects] = [await startPostgres(t), await startObjectStore(t, 's3')];
  t.after(() => postgres?.[Symbol.asyncDispose]());
  t.after(() => objects?.[Symbol.asyncDispose]());
  if (!postgres || !objects) return undefined;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-servers-'));
  t.after(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return {
    ports: [await freePort(), await freePort()],
    async start(port) {
      const server = await startServer({
        env: {
          SVC_PORT: String(port),
          SVC_NODE_ADVERTISED_URL: `http://127.0.0.1:${port}`,
          SVC_NOTEBOOK_STORAGE_DIR: path.join(folder, 'notebooks'),
          SVC_ARTIFACT_DIR: path.join(folder, `artifacts-${port}`),
          SVC_ARTIFACT_METADATA_DSN: postgres.dsn,
          SVC_ARTIFACT_BLOB_BACKEND: 's3',
          SVC_ARTIFACT_S3_BUCKET: bucket,
          ...objects.env,
          ...env,
        },
      });
      t.after(() => server[Symbol.asyncDispose]());
      return server;
    },
  };
}

/** Asks as a client does: 503 with its Retry-After is no answer yet. Anything else is. */
async function patiently(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503) return answer;
    assert.ok(Number(answer.headers['retry-after']) > 0, `503 without Retry-After: ${answer.text}`);
    await passed(100);
  }
}

interface Person {
  readonly sessionId: string;
  ask(method: string, path: string, json?: unknown): Promise<Answer>;
  /** Writes a number into their cell, and runs it. */
  work(number: number): Promise<void>;
  source(): Promise<string | undefined>;
}

/** Somebody with a notebook of their own, who comes to this address. */
async function person(address: string, name: string): Promise<Person> {
  const rest = createRest(address);
  const send = async (method: string, place: string, options: RequestOptions = {}): Promise<Answer> => {
    const answer = await patiently(() => rest.send(method, place, options));
    assert.equal(answer.status, 200, `${method} ${place}: ${answer.text}`);
    return answer;
  };
  const created = await send('POST', '/v1/notebooks/create', { json: { parent_path: '.', name } });
  const { session_id: sessionId } = notebookState.parse(created.json);
  const ask = (method: string, place: string, json?: unknown): Promise<Answer> =>
    send(method, `/v1/notebooks/${sessionId}${place}`, json === undefined ? {} : { json });
  const state = async () => notebookState.parse((await send('GET', `/v1/notebooks/sessions/${sessionId}`)).json);
  const socket = await openSocket(address, `/v1/notebooks/ws/${sessionId}`);
  await environmentReady({ socket, state });
  socket.close();
  const { id } = cellRecord.parse((await ask('POST', '/cells', {})).json);
  return {
    sessionId,
    ask,
    async work(number) {
      await ask('PUT', `/cells/${id}`, { source: `${number} * 2` });
      const ran = executeBody.parse((await ask('POST', `/cells/${id}/execute`)).json);
      assert.deepEqual([ran.status, ran.display?.preview], ['ready', number * 2], String(ran.error));
    },
    async source() {
      const { cells } = await state();
      return cells.find((cell) => cell.id === id)?.source;
    },
  };
}

it('one server after the other is restarted, and nobody who works or reads notices more than a 503', async (t) => {
  const service = await deployment(t);
  if (!service) return;
  const servers = await Promise.all(service.ports.map(service.start));
  const address = await startBalancer(t, service.ports);
  await using warehouse = await createWarehouse(`
t = catalog.create_table("db.t", schema=pa.schema([("id", pa.int64())]))
t.append(pa.table({"id": [1, 2, 3]}))`);
  const people = await Promise.all(['Ann', 'Bob'].map((name) => person(address, name)));

  let isOver = false;
  let [done, wanted] = [0, 0];
  let moved = Promise.withResolvers<void>();
  const more = (count: number): Promise<void> => {
    moved = Promise.withResolvers<void>();
    wanted = done + count;
    return moved.promise;
  };
  const goOn = async (each: (number: number) => Promise<void>): Promise<number> => {
    let number = 0;
    while (!isOver) {
      number += 1;
      await each(number);
      done += 1;
      if (done >= wanted) moved.resolve();
    }
    return number;
  };
  const through = { ...servers[0], address, rest: createRest(address) } as TestServer;
  const read = async (): Promise<void> => {
    const answer = await patiently(() => order(through, warehouse.uri('t')));
    assert.equal(answer.status, 200, answer.text);
    const url = String(Object(answer.json).stream_url);
    const found = await fetch(`${address}${url}`).catch(() => undefined);
    // A stream lives in one server: whoever has not begun to read it when that stops asks for it again.
    if (found?.status !== 200) return assert.ok([undefined, 404, 503].includes(found?.status), String(found?.status));
    assert.equal(tableFromIPC(new Uint8Array(await found.arrayBuffer())).numRows, 3);
  };
  const work = Promise.all([...people.map((one) => goOn(one.work)), goOn(read)]);
  // A failure ends the waiting too.
  const orFailed = (moment: Promise<void>): Promise<unknown> => Promise.race([moment, work]);

  for (const [at, port] of service.ports.entries()) {
    await orFailed(more(9));
    assert.equal(await servers[at]?.stop(), 0);
    await orFailed(more(6));
    await service.start(port);
  }
  await orFailed(more(9));
  isOver = true;
  const numbers = await work;
  assert.deepEqual(
    await Promise.all(people.map((one) => one.source())),
    numbers.slice(0, 2).map((number) => `${number} * 2`),
  );
});

it('a notebook is open on one server: others hand requests and sockets on, and take over when it is killed or paused', async (t) => {
  const service = await deployment(t);
  if (!service) return;
  const [first, second] = await Promise.all(service.ports.map(service.start));
  assert.ok(first && second);
  const ann = await person(first.address, 'Ann');
  await ann.work(1);

  await t.test('whoever opens it elsewhere gets the session that is there', async () => {
    const opened = await second.rest.post('/v1/notebooks/open', { json: { path: 'ann' } });
    assert.equal(notebookState.parse(opened.json).session_id, ann.sessionId);
  });

  await t.test('a socket at the other server hears what happens', async () => {
    const socket = await openSocket(second.address, `/v1/notebooks/ws/${ann.sessionId}`);
    const ready = socket.frame(({ type, payload }) => type === 'cell_status' && payload.status === 'ready');
    await ann.work(2);
    await ready;
    socket.close();
    await socket.closed;
  });

  await t.test('a session that nobody knows is nobody’s on either', async () => {
    for (const { rest } of [first, second])
      assert.equal((await rest.get('/v1/notebooks/sessions/00000000-0000-4000-8000-000000000000')).status, 404);
  });

  await t.test('a project is held still on all servers, and no other opens a notebook there', async () => {
    const bob = await person(second.address, 'Bob');
    const held = await first.rest.post('/v1/projects/./quiesce', { json: { timeout_seconds: 5 } });
    assert.equal(held.status, 200, held.text);
    const { path: root, notebooks, cancelled_cells } = Object(held.json);
    assert.deepEqual([notebooks, cancelled_cells], [[path.join(root, 'ann'), path.join(root, 'bob')], {}]);
    const edits = await Promise.all(
      [first, second].map(({ rest }) =>
        rest.send('PUT', `/v1/notebooks/${bob.sessionId}/name`, { json: { name: 'B' } }),
      ),
    );
    assert.deepEqual(
      edits.map(({ status }) => status),
      [409, 409],
    );
    // One that has nothing open there has not been asked.
    const third = await service.start(await freePort());
    const made = await third.rest.post('/v1/notebooks/create', { json: { parent_path: '.', name: 'Late' } });
    assert.deepEqual([made.status, fs.existsSync(path.join(root, 'late'))], [409, false], made.text);
    const opened = await third.rest.post('/v1/notebooks/open', { json: { path: 'ann' } });
    assert.equal(notebookState.parse(opened.json).session_id, ann.sessionId);
    await third.stop('SIGTERM');
    const released = await second.rest.post('/v1/projects/./release', { json: {} });
    assert.deepEqual([released.status, Object(released.json).released], [200, true]);
    await bob.work(3);
    await ann.work(2);
  });

  await t.test('a notebook that another server has open is deleted there', async () => {
    const cleo = await person(second.address, 'Cleo');
    const deleted = await first.rest.post('/v1/notebooks/delete-by-path', { json: { path: 'cleo' } });
    assert.equal(deleted.status, 200, deleted.text);
    assert.equal((await second.rest.get(`/v1/notebooks/sessions/${cleo.sessionId}`)).status, 404);
  });

  await t.test('after a kill the other goes on with the session', async () => {
    await first.stop('SIGKILL');
    const found = await patiently(() => second.rest.get(`/v1/notebooks/sessions/${ann.sessionId}`));
    assert.deepEqual(
      notebookState.parse(found.json).cells.map(({ source }) => source),
      ['2 * 2'],
    );
  });

  await t.test('one that was paused for too long gives up what another has taken', async () => {
    const third = await service.start(service.ports[0] ?? 0);
    second.process.kill('SIGSTOP');
    const found = await patiently(() => third.rest.get(`/v1/notebooks/sessions/${ann.sessionId}`));
    assert.equal(found.status, 200);
    second.process.kill('SIGCONT');
    await second.printed(/Another server has taken over a notebook/);
    const edited = await second.rest.send('PUT', `/v1/notebooks/${ann.sessionId}/name`, { json: { name: 'Hers' } });
    assert.equal(edited.status, 200, edited.text);
    const here = await third.rest.read(notebookState, `/v1/notebooks/sessions/${ann.sessionId}`);
    assert.equal(here.name, 'Hers');
  });
});

it('a session goes on for whoever it belongs to, and for nobody else', async (t) => {
  const service = await deployment(t, { ...proxyEnvironment, SVC_MULTI_TENANT_ENABLED: 'true' });
  if (!service) return;
  const [first, second] = await Promise.all(service.ports.map(service.start));
  assert.ok(first && second);
  const scopes = 'notebook:read notebook:write';
  const ann = asserted({ principal: 'ann', scopes, tenant: 'red' });
  const created = await first.rest.post('/v1/notebooks/create', {
    headers: ann,
    json: { parent_path: '.', name: 'Hers' },
  });
  const { session_id } = notebookState.parse(created.json);
  await first.stop();
  const others = [
    { principal: 'bob', scopes, tenant: 'red' },
    { principal: 'ann', scopes, tenant: 'blue' },
  ];
  const asked = (headers: Readonly<Record<string, string>>): Promise<Answer> =>
    second.rest.get(`/v1/notebooks/${session_id}/environment`, { headers });
  for (const other of others)
    assert.equal((await asked(asserted(other))).status, 404, (await asked(asserted(other))).text);
  assert.equal((await asked(ann)).status, 200);
});
