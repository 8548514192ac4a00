// Two servers on one store, PostgreSQL and S3, whose clocks differ by an hour: each does its part of what the other began.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { begunBuild, buildNow, buildOnce, isOver } from './kit/builds.ts';
import { arrowOf, startExecutor, type TestExecutor } from './kit/executor.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { bucket, startObjectStore } from './kit/objectStores.ts';
import { freePort } from './kit/ports.ts';
import { startPostgres } from './kit/postgres.ts';
import { ordered, rowsAt } from './kit/scan.ts';
import { clockOff, startServer, type TestServer } from './kit/server.ts';
import { until, untilGiven } from './kit/until.ts';
import { createWarehouse } from './kit/warehouse.ts';
import { health, startWorker, type TestWorker } from './kit/worker.ts';

interface Deployment extends AsyncDisposable {
  readonly worker: TestWorker;
  readonly executor: TestExecutor;
  /** Another server on the store, with a clock that is off by so many seconds. */
  start(seconds: number): Promise<TestServer>;
  /** Whether the executor answers what it is asked. */
  answers: boolean;
}

/** Undefined after the test was marked as skipped. */
async function openDeployment(t: TestContext): Promise<Deployment | undefined> {
  await using opening = new AsyncDisposableStack();
  const postgres = opening.use(await startPostgres(t));
  const objects = opening.use(await startObjectStore(t, 's3'));
  if (!postgres || !objects) return undefined;
  const env = { SVC_WORKER_ALLOW_LOCAL_HOSTS: '1', SVC_WORKER_OUTPUT_DIR_POLL_SECONDS: '0.1' };
  const worker = opening.use(await startWorker({ env }));
  const executor = opening.use(
    await startExecutor((_order, response) => {
      if (deployment.answers) response.writeHead(200).end(arrowOf([1, 2]));
    }),
  );
  const held = opening.move();
  const deployment: Deployment = {
    worker,
    executor,
    answers: true,
    async start(seconds) {
      const port = await freePort();
      const registry = [{ ref: 'x@*', executor_url: executor.url }];
      const server = await startServer({
        env: {
          SVC_PORT: String(port),
          SVC_NODE_ADVERTISED_URL: `http://127.0.0.1:${port}`,
          SVC_ARTIFACT_METADATA_DSN: postgres.dsn,
          SVC_ARTIFACT_BLOB_BACKEND: 's3',
          SVC_ARTIFACT_S3_BUCKET: bucket,
          SVC_TRANSFORM_SIGNING_SECRET: 'of all nodes',
          SVC_MCP_ENABLED: 'true',
          SVC_TRANSFORMS_CONFIG: JSON.stringify({ enabled: true, registry }),
          ...objects.env,
          ...clockOff(seconds),
        },
      });
      return held.use(server);
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
  return deployment;
}

/** A notebook on one server whose worker speaks to another. */
async function notebookThrough(first: TestServer, second: TestServer, worker: TestWorker): Promise<TestNotebook> {
  const notebook = await createTestNotebook(first, `Through ${new URL(second.address).port}`);
  const config = { url: `${worker.address}/v1/execute`, transport: 'signed', svc_url: second.address };
  const answer = await notebook.request('PUT', '/workers', { workers: [{ name: 'far', backend: 'executor', config }] });
  assert.equal(answer.status, 200, answer.text);
  return notebook;
}

const dataOf = (uri: string | null): string =>
  `${uri?.replace('svc://artifact/', '/v1/artifacts/').replace('@v=', '/v/')}/data`;

it('two servers on one store', { timeout: 800_000 }, async (t) => {
  await using deployment = await openDeployment(t);
  if (!deployment) return;
  const { worker, executor } = deployment;
  const [first, second] = await Promise.all([deployment.start(0), deployment.start(3600)]);

  await t.test('dispatch a cell from one, through the other: inputs, console, files, result', async () => {
    const notebook = await notebookThrough(first, second, worker);
    const here = await notebook.add('numbers = list(range(1000))');
    const there = await notebook.add(`# @worker far
# @output_dir model
import time
print("early", flush=True)
(model / "a.txt").write_text("alpha")
time.sleep(0.6)
print("late")
sum(numbers)`);
    await notebook.run(here);
    const told = notebook.framesUntil(({ type }) => type === 'cell_output' || type === 'cell_error');
    const ran = await notebook.run(there);
    assert.deepEqual(
      [ran.status, ran.remote_transport, ran.stdout, ran.display?.preview],
      ['ready', 'signed', 'early\nlate\n', 499_500],
      String(ran.error),
    );
    const console = (await told).filter(({ type }) => type === 'cell_console').map(({ payload }) => payload.text);
    assert.deepEqual([console[0], console.join('')], ['early\n', 'early\nlate\n']);
    const reads = await notebook.add('(model / "a.txt").read_text()');
    assert.equal((await notebook.run(reads)).display?.preview, 'alpha');
    // What is not signed goes no further.
    const query = 'expires_at=9999999999&signature=none';
    assert.equal((await second.rest.post(`/v1/builds/nbbuild-000000000000/finalize?${query}`)).status, 403);
  });

  await t.test('send whoever asks for a stream to its owner, and find its result', async () => {
    await using warehouse = await createWarehouse(`
t = catalog.create_table("db.t", schema=pa.schema([("id", pa.int64())]))
t.append(pa.table({"id": [1, 2, 3]}))`);
    const { stream_url } = await ordered(first, warehouse.uri('t'));
    const sent = await second.rest.get(stream_url ?? '');
    assert.deepEqual([sent.status, sent.headers.location], [307, `${first.address}${stream_url}`]);
    const { rows, uri } = await rowsAt(first, stream_url);
    assert.deepEqual(rows, [{ id: 1n }, { id: 2n }, { id: 3n }]);
    // The bytes come before the artifact is stored; both servers know it once it is.
    const found = await untilGiven(async () => {
      const asked = await ordered(second, warehouse.uri('t'));
      return asked.hit ? asked : undefined;
    }, 'the other server finds the artifact');
    assert.equal(found.artifact_uri, uri);
    assert.deepEqual((await rowsAt(second, found.stream_url)).rows, rows);
  });

  await t.test('run each build once, and show it on both', async () => {
    const ids = await Promise.all(
      Array.from({ length: 10 }, (_one, n) => begunBuild(n % 2 === 0 ? first : second, 'x@v1', { params: { n } })),
    );
    const builds = await Promise.all(ids.map((id) => buildOnce(second, id, isOver)));
    assert.deepEqual(
      builds.map(({ state, error_message }) => [state, error_message]),
      ids.map(() => ['ready', null]),
    );
    assert.equal(executor.orders.length, 10);
    for (const node of [first, second])
      assert.deepEqual((await rowsAt(node, dataOf(builds[0]?.artifact_uri ?? null))).rows, [{ n: 1 }, { n: 2 }]);
    assert.deepEqual(await buildNow(first, ids[1] ?? ''), builds[1]);
  });

  await t.test('take back a call of an agent, whichever hears of it', async () => {
    const notebook = await createTestNotebook(first, 'Taken back elsewhere');
    const cell_id = await notebook.add('import time\ntime.sleep(600)');
    // A balancer that sends calls to one server, and whatever takes them back to the other.
    const balanced: typeof fetch = (place, request) => {
      const isTakingBack = String(request?.body).includes('notifications/cancelled');
      return fetch(String(place).replace(first.address, isTakingBack ? second.address : first.address), request);
    };
    const client = new Client({ name: 'tests', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${first.address}/mcp/`), { fetch: balanced }));
    const enough = new AbortController();
    const run = { name: 'run_cell', arguments: { session_id: notebook.sessionId, cell_id } };
    const ran = client.callTool(run, { signal: enough.signal });
    await notebook.framesUntil(({ type, payload }) => type === 'cell_status' && payload.status === 'running');
    const stopped = notebook.framesUntil(({ type, payload }) => type === 'cell_status' && payload.status !== 'running');
    enough.abort('enough');
    await Promise.all([assert.rejects(ran, /enough/), stopped]);
    await client.close();
  });

  await t.test('go on where one is killed: its builds are taken over, its cells end', async () => {
    await second.stop();
    deployment.answers = false;
    const arrived = executor.next();
    const id = await begunBuild(first, 'x@v2', { name: 'taken' });
    await arrived;
    const third = await deployment.start(-3600);
    const notebook = await notebookThrough(first, third, worker);
    const cell = await notebook.add('# @worker far\nimport time\nprint("begun", flush=True)\ntime.sleep(0.5)');
    const begun = notebook.framesUntil(({ type }) => type === 'cell_console');
    notebook.run(cell).catch(() => {});
    await begun;
    deployment.answers = true;
    await first.stop('SIGKILL');
    assert.equal((await buildOnce(third, id, isOver)).state, 'ready');
    assert.equal(Object((await third.rest.get('/v1/names/taken')).json).version, 1);
    await until(async () => (await health(worker)).active_executions === 0, 'the worker runs nothing');
  });
});
