// Two servers on one store, PostgreSQL and S3: each does its part of what the other began.
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { begunBuild, buildNow, buildOnce, isOver } from './kit/builds.ts';
import { arrowOf, startExecutor, type TestExecutor } from './kit/executor.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { bucket, startObjectStore } from './kit/objectStores.ts';
import { freePort } from './kit/ports.ts';
import { startPostgres } from './kit/postgres.ts';
import { ordered, rowsAt } from './kit/scan.ts';
import { type Environment, startServer, type TestServer } from './kit/server.ts';
import { createWarehouse } from './kit/warehouse.ts';
import { startWorker, type TestWorker } from './kit/worker.ts';

interface Deployment extends AsyncDisposable {
  readonly nodes: readonly [TestServer, TestServer];
}

/** Undefined after the test was marked as skipped. */
async function startTwo(t: TestContext, env: Environment = {}): Promise<Deployment | undefined> {
  const held = new AsyncDisposableStack();
  const postgres = held.use(await startPostgres(t));
  const objects = held.use(await startObjectStore(t, 's3'));
  if (!postgres || !objects) return undefined;
  async function start(): Promise<TestServer> {
    const port = await freePort();
    const server = await startServer({
      env: {
        SVC_PORT: String(port),
        SVC_NODE_ADVERTISED_URL: `http://127.0.0.1:${port}`,
        SVC_ARTIFACT_METADATA_DSN: postgres?.dsn ?? '',
        SVC_ARTIFACT_BLOB_BACKEND: 's3',
        SVC_ARTIFACT_S3_BUCKET: bucket,
        SVC_TRANSFORM_SIGNING_SECRET: 'of all nodes',
        ...objects?.env,
        ...env,
      },
    });
    return held.use(server);
  }
  try {
    return { nodes: [await start(), await start()], [Symbol.asyncDispose]: () => held.disposeAsync() };
  } catch (error) {
    await held.disposeAsync();
    throw error;
  }
}

describe('a cell that one server dispatched', () => {
  let worker: TestWorker;
  before(async () => {
    worker = await startWorker({
      env: { SVC_WORKER_ALLOW_LOCAL_HOSTS: '1', SVC_WORKER_OUTPUT_DIR_POLL_SECONDS: '0.1' },
    });
  });
  after(() => worker[Symbol.asyncDispose]());

  it('is worked on through another: inputs, console, files, result', { timeout: 120_000 }, async (t) => {
    await using deployment = await startTwo(t);
    if (!deployment) return;
    const [first, second] = deployment.nodes;
    const notebook = await createTestNotebook(first, 'Shared');
    const config = { url: `${worker.address}/v1/execute`, transport: 'signed', svc_url: second.address };
    const workers = [{ name: 'far', backend: 'executor', config }];
    assert.equal((await notebook.request('PUT', '/workers', { workers })).status, 200);
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

    // What is not signed goes no further, and what nobody holds is not there.
    const query = 'expires_at=9999999999&signature=none';
    const forged = await second.rest.post(`/v1/builds/nbbuild-000000000000/finalize?${query}`);
    assert.equal(forged.status, 403);
  });

  it('fails when its server is gone, and the worker is free again', { timeout: 120_000 }, async (t) => {
    await using deployment = await startTwo(t);
    if (!deployment) return;
    const [first, second] = deployment.nodes;
    const notebook = await createTestNotebook(first, 'Gone');
    const config = { url: `${worker.address}/v1/execute`, transport: 'signed', svc_url: second.address };
    await notebook.request('PUT', '/workers', { workers: [{ name: 'far', backend: 'executor', config }] });
    const cell = await notebook.add('# @worker far\nimport time\nprint("begun", flush=True)\ntime.sleep(0.5)');
    const begun = notebook.framesUntil(({ type }) => type === 'cell_console');
    notebook.run(cell).catch(() => {});
    await begun;
    await first.stop('SIGKILL');
    const active = async (): Promise<unknown> =>
      Object(await (await fetch(`${worker.address}/health`)).json()).active_executions;
    while ((await active()) !== 0);
    assert.equal((await second.rest.get('/health')).status, 200);
  });
});

describe('a build of two servers', () => {
  let executor: TestExecutor;
  let answers = true;
  before(async () => {
    executor = await startExecutor((_order, response) => {
      if (answers) response.writeHead(200).end(arrowOf([1, 2]));
    });
  });
  after(() => executor[Symbol.asyncDispose]());
  const transforms = (): Environment => ({
    SVC_TRANSFORMS_CONFIG: JSON.stringify({ enabled: true, registry: [{ ref: 'x@*', executor_url: executor.url }] }),
  });
  const dataOf = (uri: string): string =>
    `${uri.replace('svc://artifact/', '/v1/artifacts/').replace('@v=', '/v/')}/data`;

  it('is run once, seen on both, and read from both', { timeout: 120_000 }, async (t) => {
    await using deployment = await startTwo(t, transforms());
    if (!deployment) return;
    const [first, second] = deployment.nodes;
    answers = true;
    const before = executor.orders.length;
    const ids = await Promise.all(
      Array.from({ length: 10 }, (_one, n) => begunBuild(n % 2 === 0 ? first : second, 'x@v1', { params: { n } })),
    );
    const builds = await Promise.all(ids.map((id) => buildOnce(second, id, isOver)));
    assert.deepEqual(
      new Set(builds.map(({ state, error_message }) => `${state} ${error_message}`)),
      new Set(['ready null']),
    );
    assert.equal(executor.orders.length - before, 10);
    for (const node of [first, second])
      assert.deepEqual((await rowsAt(node, dataOf(builds[0]?.artifact_uri ?? ''))).rows, [{ n: 1 }, { n: 2 }]);
    const { build_id } = await buildNow(first, ids[1] ?? '');
    assert.equal(build_id, ids[1]);
  });

  it('is taken over by the other when its server is killed', { timeout: 120_000 }, async (t) => {
    await using deployment = await startTwo(t, transforms());
    if (!deployment) return;
    const [first, second] = deployment.nodes;
    answers = false;
    const arrived = executor.next();
    // The second server looks for work too: whichever took the build is killed.
    const id = await begunBuild(first, 'x@v2', { name: 'taken' });
    await arrived;
    const { rest } = second;
    answers = true;
    await first.stop('SIGKILL');
    const { state } = await buildOnce(second, id, isOver);
    assert.equal(state, 'ready');
    assert.equal(Object((await rest.get('/v1/names/taken')).json).version, 1);
  });
});

describe('a stream of two servers', () => {
  it('is fetched from its owner, whichever is asked', { timeout: 120_000 }, async (t) => {
    await using deployment = await startTwo(t);
    if (!deployment) return;
    const [first, second] = deployment.nodes;
    await using warehouse = await createWarehouse(`
t = catalog.create_table("db.t", schema=pa.schema([("id", pa.int64())]))
t.append(pa.table({"id": [1, 2, 3]}))`);
    const { stream_url } = await ordered(first, warehouse.uri('t'));
    const sent = await second.rest.get(stream_url ?? '');
    assert.deepEqual([sent.status, sent.headers.location], [307, `${first.address}${stream_url}`]);
    const { rows, uri } = await rowsAt(first, stream_url);
    assert.deepEqual(rows, [{ id: 1n }, { id: 2n }, { id: 3n }]);
    // Once stored, the other server finds it.
    const found = await ordered(second, warehouse.uri('t'));
    assert.deepEqual([found.hit, found.artifact_uri], [true, uri]);
    assert.deepEqual((await rowsAt(second, found.stream_url)).rows, rows);
  });
});
