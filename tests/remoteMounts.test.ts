// Mounts of cells that run on workers: the worker reaches the store itself, with credentials of its own.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { placeIn } from '../src/mounts/storageOptions.ts';
import { listening } from './kit/listening.ts';
import { mountKinds, openStore, putObject, textOf } from './kit/mounts.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { bucket, startObjectStore } from './kit/objectStores.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { bundleOf, detail, failure, health, refusalOf, startWorker } from './kit/worker.ts';

const timeout = 120_000;

async function notebookOn(server: TestServer, ...workers: readonly [string, string, string][]): Promise<TestNotebook> {
  const notebook = await createTestNotebook(server, 'On workers');
  const specs = workers.map(([name, address, transport]) => ({
    name,
    backend: 'executor',
    config: { url: `${address}/v1/execute`, transport },
  }));
  assert.equal((await notebook.request('PUT', '/workers', { workers: specs })).status, 200);
  return notebook;
}

const credentials = (named: object): { SVC_NOTEBOOK_CREDENTIALS: string } => ({
  SVC_NOTEBOOK_CREDENTIALS: JSON.stringify(named),
});

/** A store that lists one object and never gives it. */
async function stuckStore(context: TestContext): Promise<{ address: string; asked: Promise<void> }> {
  const asked = Promise.withResolvers<void>();
  const object = '<Contents><Key>p/a.txt</Key><Size>3</Size><ETag>"e"</ETag></Contents>';
  const server = createServer((request, response) => {
    if (request.url?.includes('list-type')) response.end(`<ListBucketResult>${object}</ListBucketResult>`);
    else asked.resolve();
  });
  const at = await listening(context, server);
  return { address: at, asked: asked.promise };
}

/** What workers of this user keep while cells run. */
const runFoldersOf = (pid: number | undefined): string[] => {
  const folder = path.join(os.tmpdir(), `svc-worker-${os.userInfo().uid}`);
  return readdirSync(folder).filter((name) => name.startsWith(`${pid}-`));
};

describe('a mount of a cell on a worker', () => {
  for (const kind of ['s3', 'gcs', 'azure'] as const)
    it(`is read there, and written back from there after success (${kind})`, { timeout }, async (t) => {
      const running = await startObjectStore(t, kind);
      if (!running) return;
      await using objects = running;
      const { scheme, options } = mountKinds[kind];
      const lent = options(objects.env);
      const place = placeIn(`${scheme}://${bucket}/data`);
      assert.ok(place);
      const store = await openStore(place, lent);
      await putObject(store, 'data/a.txt', 'one');
      await putObject(store, 'data/deep/b.txt', 'two');
      const env = { SVC_WORKER_ALLOW_LOCAL_HOSTS: '1', ...credentials({ bucket: lent }) };
      await using worker = await startWorker({ env });
      await using server = await startServer({ env: credentials({ bucket: lent }) });
      const notebook = await notebookOn(
        server,
        ['pushed', worker.address, 'direct'],
        ['pulled', worker.address, 'signed'],
      );
      const header = `# @mount raw ${scheme}://${bucket}/data`;
      for (const name of kind === 's3' ? ['pushed', 'pulled'] : ['pulled']) {
        const cell = await notebook.add(
          `# @worker ${name}\n${header} credential=bucket\nstr(sorted((str(p.relative_to(raw)), p.read_text()) for p in raw.rglob("*.txt")))`,
        );
        const read = await notebook.run(cell);
        assert.deepEqual(
          [read.display?.preview, read.remote_worker],
          ["[('a.txt', 'one'), ('deep/b.txt', 'two')]", name],
          String(read.error),
        );
        assert.equal((await notebook.run(cell)).cache_hit, true);
        const uri = `${scheme}://${bucket}/data`;
        const far = { kind: 'mount', name: 'raw', uri, credential: 'bucket', bytes: 6, cached_bytes: null };
        assert.deepEqual((await notebook.cell(cell)).inputs, [far]);

        const writes = `(raw / "${name}.txt").write_text("by ${name}")`;
        const writer = await notebook.add(
          `# @worker ${name}\n# @mount raw ${scheme}://${bucket}/out rw credential=bucket\n${writes}`,
        );
        assert.equal((await notebook.run(writer)).error, null);
        assert.equal(await textOf(store, `out/${name}.txt`), `by ${name}`);
        assert.equal((await notebook.run(writer)).cache_hit, false);
        const fails = `(raw / "${name}.txt").write_text("lost")\n1 / 0`;
        await notebook.edit(
          writer,
          `# @worker ${name}\n# @mount raw ${scheme}://${bucket}/out rw credential=bucket\n${fails}`,
        );
        assert.match((await notebook.run(writer)).error ?? '', /ZeroDivisionError/);
        assert.equal(await textOf(store, `out/${name}.txt`), `by ${name}`);
      }
      store.close();
    });

  it('needs a store that the worker reaches, not the server', { timeout }, async (t) => {
    const running = await startObjectStore(t, 's3');
    if (!running) return;
    await using objects = running;
    const lent = mountKinds.s3.options(objects.env);
    const store = await openStore({ protocol: 's3', bucket, prefix: '' }, lent);
    await putObject(store, 'a.txt', 'only there');
    store.close();
    await using worker = await startWorker({ env: credentials({ bucket: lent }) });
    await using bare = await startWorker();
    const unreachable = { ...lent, endpoint_url: 'http://127.0.0.1:9' };
    await using server = await startServer({ env: credentials({ bucket: unreachable }) });
    const notebook = await notebookOn(server, ['knows', worker.address, 'direct'], ['bare', bare.address, 'direct']);
    const read = `# @mount raw s3://${bucket} credential=bucket\n(raw / "a.txt").read_text()`;
    const cell = await notebook.add(`# @worker knows\n${read}`);
    for (const _ of [1, 2]) {
      const { display, cache_hit, error } = await notebook.run(cell);
      assert.deepEqual([error, display?.preview, cache_hit], [null, 'only there', false]);
    }
    const lacking = await notebook.run(await notebook.add(`# @worker bare\n${read}`));
    assert.deepEqual(lacking.remote_error_code, 'EXECUTOR_HTTP_ERROR');
    assert.match(lacking.error ?? '', /@mount raw: Credential 'bucket' is not defined on this worker/);
    const unknown = await notebook.run(await notebook.add(`# @worker knows\n${read.replace('=bucket', '=none')}`));
    assert.match(unknown.error ?? '', /@mount raw: Credential 'none' is not defined on this server/);
    const local = await notebook.run(await notebook.add('# @worker knows\n# @mount raw file:///tmp\nraw'));
    assert.match(local.error ?? '', /The mount raw is a folder of this machine/);

    const mount = { name: 'raw', uri: `s3://${bucket}`, credential: 'bucket' };
    const { manifest } = await bundleOf(await worker.execute('1', { params: { mounts: [mount] } }));
    assert.deepEqual(manifest.mount_bytes, { raw: 0 }, 'it was in the cache');
    const written = { ...mount, uri: `s3://${bucket}/new`, mode: 'rw' };
    const wrote = await bundleOf(
      await worker.execute('(raw / "x.txt").write_text("x")', { params: { mounts: [written] } }),
    );
    const sha256 = '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881';
    assert.deepEqual(wrote.manifest.mount_writes, [
      { mount: 'raw', uri: written.uri, files: [{ path: 'x.txt', size: 1, sha256 }] },
    ]);
  });
});

describe('mounts that a worker is asked for', () => {
  it('are refused where they are malformed or reach for its credentials', async (context) => {
    const { address } = await stuckStore(context);
    const lent = { key: 'tests', secret: 'planted-secret', endpoint_url: address };
    const env = {
      ...credentials({ own: lent, lost: { key: '$' + '{NOWHERE}' } }),
      SVC_NOTEBOOK_MOUNT_CREDENTIALS: '{"gs":"own"}',
    };
    await using worker = await startWorker({ env });
    const ask = async (mounts: unknown): Promise<[[number, string], string]> => {
      const answer = await worker.execute('1', { params: { mounts } });
      return [await refusalOf(answer.clone()), await answer.text()];
    };
    const mount = { name: 'raw', uri: 's3://b/p' };
    for (const [what, mounts, expected] of [
      ['no list', {}, detail(400)],
      ['no object', ['s3://b'], detail(400)],
      ['no name', [{ uri: 's3://b' }], detail(400)],
      ['a name that leads away', [{ ...mount, name: '../x' }], detail(400)],
      ['a file', [{ ...mount, uri: 'file:///etc' }], detail(400)],
      ['a file in capitals', [{ ...mount, uri: 'FILE:///etc' }], detail(400)],
      ['a path', [{ ...mount, uri: '/etc' }], detail(400)],
      ['no bucket', [{ ...mount, uri: 's3:///x' }], detail(400)],
      ['another scheme', [{ ...mount, uri: 'http://169.254.169.254/x' }], detail(400)],
      ['another mode', [{ ...mount, mode: 'rwx' }], detail(400)],
      ['twice', [mount, mount], detail(400)],
      ['a credential that is not there', [{ ...mount, credential: 'none' }], failure(500)],
      ['one of every object', [{ ...mount, credential: 'constructor' }], failure(500)],
      ['one without its value', [{ ...mount, credential: 'lost' }], failure(500)],
      [
        'an address for a credential',
        [{ ...mount, credential: 'own', options: { endpoint_url: address } }],
        failure(500),
      ],
      ['the same by its scheme', [{ ...mount, uri: 'gs://b', options: { endpoint_url: address } }], failure(500)],
    ] as const) {
      const [status, said] = await ask(mounts);
      assert.deepEqual(status, expected, what);
      assert.doesNotMatch(said, /planted-secret/, what);
    }
    assert.equal((await health(worker)).active_executions, 0);
  });

  it('let the cell go when it is cancelled, and leave nothing when the worker is killed', async (context) => {
    const killed: (number | undefined)[] = [];
    for (const end of ['cancelled', 'killed']) {
      const { address, asked } = await stuckStore(context);
      const options = { key: 'tests', secret: 'tests', endpoint_url: address };
      await using worker = await startWorker({ env: credentials({ own: options }) });
      const mount = { name: 'raw', uri: 's3://b/p', credential: 'own', mode: 'rw' };
      const running = worker.execute('1', { params: { mounts: [mount] } });
      await asked;
      assert.equal(runFoldersOf(worker.process.pid).length, 1);
      if (end === 'killed') {
        worker.process.kill('SIGKILL');
        await assert.rejects(running);
        killed.push(worker.process.pid);
      } else {
        await worker.post('/v1/executions/notebook-000000000001/cancel');
        assert.deepEqual(await refusalOf(await running), failure(409));
        assert.equal((await health(worker)).active_executions, 0);
        assert.deepEqual(runFoldersOf(worker.process.pid), []);
      }
    }
    await using _next = await startWorker();
    assert.deepEqual(killed.flatMap(runFoldersOf), []);
  });
});
