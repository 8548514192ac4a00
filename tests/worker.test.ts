import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it, type TestContext } from 'node:test';
import { z } from 'zod';
import { packTar } from '../src/bundle/index.ts';
import { environmentKey, parseLock } from '../src/environments/index.ts';
import { type WorkerHealth, workerHealthSchema } from '../src/protocol/workers.ts';
import { bundleOf, cellForm, form, readBundleText, startWorker, type TestWorker } from './kit/worker.ts';

const refusalOf = async (answer: Response): Promise<[number, string]> => [
  answer.status,
  Object.keys(z.record(z.string(), z.unknown()).parse(await answer.json())).join(),
];
const detail = (status: number): [number, string] => [status, 'detail'];
const failure = (status: number): [number, string] => [status, 'success,error'];

describe('a worker that is pushed cells', { concurrency: 4 }, () => {
  let worker: TestWorker;
  before(async () => {
    worker = await startWorker();
  });
  after(() => worker[Symbol.asyncDispose]());

  it('says what it is', async () => {
    const { capabilities, hardware, uptime_seconds, version, ...rest } = await health(worker);
    assert.deepEqual(rest, {
      status: 'healthy',
      launch_id: null,
      active_executions: rest.active_executions,
      max_concurrent: null,
      gpu_slots: null,
      free_gpu_slots: null,
    });
    assert.deepEqual(
      [capabilities.protocol_versions, capabilities.transform_refs, typeof uptime_seconds, typeof version],
      [['v1'], ['notebook_cell@v1'], 'number', 'string'],
    );
    assert.ok((hardware?.cpus ?? 0) > 0 && (hardware?.memory_mb ?? 0) > 0);
  });

  it('gives a bundle: console, values, and the manifest last', async () => {
    const answer = await worker.execute('print("hello")\ntotal = a + 1\ntotal', {
      inputs: [{ name: 'a', format: 'json/object' }],
      files: { a: '41' },
    });
    assert.deepEqual(
      ['content-type', 'x-svc-executor-protocol', 'x-svc-notebook-executor-protocol'].map((name) =>
        answer.headers.get(name),
      ),
      ['application/x-tar', 'v1', 'notebook-cell-v1'],
    );
    const { members, manifest } = await bundleOf(answer);
    assert.deepEqual(
      [Object.keys(members), members['stdout.txt'], members['files/total.json']],
      [['stdout.txt', 'stderr.txt', 'files/total.json', 'manifest.json'], 'hello\n', '42'],
    );
    const { variables, displays, success, error, traceback } = manifest;
    assert.deepEqual(
      [Object.keys(variables), variables._, displays.length, success, error, traceback],
      [['total', '_'], displays[0], 1, true, null, null],
    );
  });

  it('finds inputs by the name of their file, lends code its values, unpacks folders', async () => {
    const folder = Buffer.concat(
      await Array.fromAsync(packTar([{ name: 'sub/x.txt', content: Buffer.from('inside') }])),
    );
    const source = 'text = (d / "sub/x.txt").read_text()\nheld = path.read_text()\nbig = t_snapshot\nwhere = t';
    const answer = await worker.execute(source, {
      params: { tables: { t: { uri: 'file:///w#db.t', snapshot_id: 9007199254740993n.toString() } } },
      inputs: [
        { name: 'd', format: 'dir/tar', file: 'd.dir.tar' },
        { name: 'path', format: 'file/path', file: 'page.html' },
      ],
      files: { 'd.dir.tar': folder, 'page.html': 'page' },
    });
    const { members } = await bundleOf(answer);
    assert.deepEqual(
      ['text', 'held', 'where'].map((name) => members[`files/${name}.json`]),
      ['"inside"', '"page"', '"file:///w#db.t"'],
    );
  });

  it('stores what a server of this project wants, and describes the rest', async () => {
    const { members, manifest } = await bundleOf(
      await worker.execute('a = 1\nb = [2] * 3\ndef f(x):\n    return x', {
        params: { svc_job: { cell_id: 'c1', wanted: ['a'] } },
      }),
    );
    assert.deepEqual(
      [Object.keys(manifest.variables), Object.keys(manifest.described), members['files/a.json']],
      [['a'], ['b', 'f'], '1'],
    );
  });

  it('answers 200 for a cell that raises, with what it said', async () => {
    const { members, manifest } = await bundleOf(await worker.execute('print("before")\n1 / 0'));
    assert.deepEqual(
      [manifest.success, manifest.error, manifest.variables, members['stdout.txt']],
      [false, 'division by zero', {}, 'before\n'],
    );
    assert.match(manifest.traceback ?? '', /ZeroDivisionError/);
  });

  it('keeps files of output folders, also of a cell that fails', async () => {
    const source = '# @output_dir model\n(model / "a.txt").write_text("alpha")\nraise SystemExit(1)';
    const { members, manifest } = await bundleOf(await worker.execute(source));
    assert.deepEqual(
      [members['dirs/model/a.txt'], manifest.output_dirs, manifest.success],
      ['alpha', { model: { 'a.txt': 5 } }, false],
    );
  });

  it('takes the old flat form', async () => {
    const old = { protocol_version: 'notebook-cell-v1', source: 'b = a * 2', timeout_seconds: 30 };
    const inputs = { a: { content_type: 'json/object', file: 'a.json' } };
    const answer = await worker.post('/v1/notebook-execute', form({ ...old, inputs }, { 'a.json': '21' }));
    assert.equal((await bundleOf(answer)).members['files/b.json'], '42');
    const wrong = [{ source: 'x' }, { ...old, protocol_version: 'v1' }, { ...old, inputs: [] }];
    for (const metadata of wrong)
      assert.deepEqual(await refusalOf(await worker.post('/v1/notebook-execute', form(metadata))), detail(400));
  });

  it('runs R', async (context) => {
    const { capabilities } = await health(worker);
    if (JSON.stringify(capabilities.features.languages) === '["python"]')
      return context.skip('there is no R on this machine');
    const { members } = await bundleOf(
      await worker.execute('x <- a + 1\ncat("from R\\n")', {
        params: { language: 'r' },
        inputs: [{ name: 'a', format: 'json/object' }],
        files: { a: '1' },
      }),
    );
    assert.deepEqual([members['stdout.txt'], JSON.parse(members['files/x.json'] ?? '')], ['from R\n', 2]);
  });

  it('refuses what is malformed with the status and body of the protocol', async () => {
    const transform = { ref: 'notebook_cell@v1', params: { source: 'x = 1' } };
    const input = { name: 'a', format: 'json/object' };
    const field = new FormData();
    field.append('metadata', JSON.stringify({ transform }));
    const cases: [string, FormData | string, [number, string]][] = [
      ['no multipart', 'x', detail(400)],
      ['no metadata', new FormData(), detail(400)],
      ['metadata as a field', field, detail(400)],
      ['metadata that is no JSON', form('{'), detail(400)],
      ['metadata that is no object', form([]), detail(400)],
      ['other protocol', form({ protocol_version: 'v2', transform }), detail(400)],
      ['no transform', form({}), detail(400)],
      ['other transform', form({ transform: { ...transform, ref: 'sql@v1' } }), detail(400)],
      ['no source', form({ transform: { ...transform, params: {} } }), detail(400)],
      ['inputs that are no list', form({ transform, inputs: {} }), detail(400)],
      ['input that is no object', form({ transform, inputs: ['a'] }), detail(400)],
      ['input without a name', form({ transform, inputs: [{ format: 'json/object' }] }), detail(400)],
      ['input without its part', form({ transform, inputs: [input] }), detail(400)],
      ['input named ..', form({ transform, inputs: [{ ...input, file: 'x/..' }] }, { a: '1' }), detail(400)],
      ['mounts that are no list', cellForm('x', { params: { mounts: {} } }), detail(400)],
      ['local mount', cellForm('x', { params: { mounts: [{ name: 'd', uri: 'file:///etc' }] } }), detail(400)],
      ['unknown language', cellForm('x', { params: { language: 'cobol' } }), failure(400)],
      ['environment that is no object', cellForm('x', { params: { environment: 3 } }), failure(500)],
      ['environment without texts', cellForm('x', { params: { environment: { key: 'a'.repeat(64) } } }), failure(500)],
      ['lock of another key', cellForm('x', { params: { environment: otherLock } }), failure(500)],
      ['too slow', cellForm('while True: pass', { params: { timeout_seconds: 0.3 } }), failure(408)],
      ['killed', cellForm('import os\nos.kill(os.getpid(), 9)', {}), failure(500)],
    ];
    for (const [what, body, expected] of cases)
      assert.deepEqual(await refusalOf(await worker.post('/v1/execute', body)), expected, what);
    const method = await fetch(`${worker.address}/v1/execute`);
    assert.deepEqual([method.status, method.headers.get('allow')], [405, 'POST']);
    assert.deepEqual(await refusalOf(await fetch(`${worker.address}/nope`)), detail(404));
  });

  it('refuses a folder that would land outside', async () => {
    const bad = Buffer.concat(await Array.fromAsync(packTar([{ name: '../x', content: Buffer.from('x') }])));
    const answer = await worker.execute('x = 1', {
      inputs: [{ name: 'd', format: 'dir/tar', file: 'd.dir.tar' }],
      files: { 'd.dir.tar': bad },
    });
    assert.deepEqual(await refusalOf(answer), detail(400));
  });

  it('finishes a hundred cells that come at once, and leaves nothing behind', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, n) => (await bundleOf(await worker.execute(`n = ${n}`))).members),
    );
    assert.deepEqual(
      answers.map((members) => members['files/n.json']),
      Array.from({ length: 100 }, (_, n) => String(n)),
    );
  });
});

const otherLock = { key: '0'.repeat(64), python: '3.13', lockfile: 'version = 1\n', pyproject: '[project]\n' };

describe('a worker with limits', () => {
  it('asks for its token everywhere but at its health', async () => {
    await using worker = await startWorker({ env: { SVC_WORKER_TOKEN: 'sekret' } });
    assert.equal((await fetch(`${worker.address}/health`)).status, 200);
    for (const headers of [{}, { authorization: 'Basic abc' }, { authorization: 'Bearer nope' }])
      for (const route of ['/v1/execute', '/v1/executions/zzz/cancel', '/execute'])
        assert.deepEqual(await refusalOf(await worker.post(route, '', headers)), detail(401));
    const answer = await worker.post('/v1/executions/zzz/cancel', '', { authorization: 'Bearer sekret' });
    assert.deepEqual(await answer.json(), { build_id: 'zzz', cancelled: false });
  });

  it('shows its secrets to no cell, not even in the process table', async () => {
    await using worker = await startWorker({ env: { SVC_WORKER_TOKEN: 'sekret', SVC_PROXY_TOKEN: 'other' } });
    const source = `
import os, glob
seen = []
for place in glob.glob("/proc/[0-9]*/environ"):
    try:
        text = open(place, "rb").read()
    except OSError:
        continue
    pid = int(place.split("/")[2])
    if (b"SVC_WORKER_TOKEN=sekret" in text or b"SVC_PROXY_TOKEN=other" in text):
        seen.append(pid)
own = dict(os.environ)
leaks = [name for name in own if name.startswith("SVC_")]
`;
    const headers = { authorization: 'Bearer sekret' };
    const { members } = await bundleOf(await worker.execute(source, { headers }));
    assert.deepEqual([members['files/seen.json'], members['files/leaks.json']], ['[]', '[]']);
  });

  it('gives each cell a GPU of its own, and says when it is full', async () => {
    await using worker = await startWorker({ args: ['--gpu-slots', '1'] });
    const source =
      'import os, time\ngpu = os.environ["CUDA_VISIBLE_DEVICES"]\nwhile not os.path.exists(flag): time.sleep(0.01)';
    const flag = `/tmp/svc-worker-test-${process.pid}`;
    const inputs = [{ name: 'flag', format: 'json/object' }];
    const files = { flag: JSON.stringify(flag) };
    const first = worker.execute(source, { inputs, files, params: { env: { CUDA_VISIBLE_DEVICES: '7' } } });
    while ((await health(worker)).active_executions === 0);
    assert.equal((await health(worker)).free_gpu_slots, 0);
    const second = await worker.execute('x = 1');
    assert.deepEqual([second.headers.get('retry-after'), await refusalOf(second)], ['5', detail(503)]);
    await fs.writeFile(flag, '');
    assert.equal((await bundleOf(await first)).members['files/gpu.json'], '"0"');
    await fs.rm(flag);
    assert.equal((await health(worker)).free_gpu_slots, 1);
  });

  it('stops a cell whose caller hangs up', async () => {
    await using worker = await startWorker();
    const gone = new AbortController();
    const body = cellForm('import time\ntime.sleep(600)', {});
    const asked = fetch(`${worker.address}/v1/execute`, { method: 'POST', body, signal: gone.signal });
    while ((await health(worker)).active_executions === 0);
    gone.abort();
    await assert.rejects(asked);
    while ((await health(worker)).active_executions !== 0);
  });

  it('stops a cell with everything that it started', async () => {
    await using worker = await startWorker({ env: { SVC_WORKER_MAX_CONCURRENT: '1' } });
    const source =
      'import subprocess, time\nchild = subprocess.Popen(["sleep", "1234.5"], start_new_session=True)\ntime.sleep(600)';
    const running = worker.execute(source, { metadata: { build_id: 'cxl-1' } });
    while (!(await fs.readdir('/proc')).some((pid) => isSleeping(pid))) await health(worker);
    const cancelled = await worker.post('/v1/executions/cxl-1/cancel');
    assert.deepEqual(await cancelled.json(), { build_id: 'cxl-1', cancelled: true });
    assert.deepEqual(await refusalOf(await running), failure(500));
    assert.deepEqual((await fs.readdir('/proc')).filter(isSleeping), []);
    assert.equal((await health(worker)).active_executions, 0);
  });
});

const health = async (worker: TestWorker): Promise<WorkerHealth> =>
  workerHealthSchema.parse(await (await fetch(`${worker.address}/health`)).json());

function isSleeping(pid: string): boolean {
  try {
    return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') === 'sleep\x001234.5\0';
  } catch {
    return false;
  }
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: Record<string, string>;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** A server that notes what it is asked, and answers as `answer` says. */
async function recorder(context: TestContext, answer: (call: Call) => { status?: number; body?: string } = () => ({})) {
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://x');
    const call = {
      method: request.method ?? '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body: await buffer(request),
    };
    calls.push(call);
    const { status = 200, body = '{"ok":true}' } = answer(call);
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return { calls, base: `http://127.0.0.1:${address.port}` };
}

function manifestFor(base: string, source: string, more: object = {}, params: object = {}): string {
  return JSON.stringify({
    build_id: 'bb',
    metadata: {
      build_id: 'bb',
      executor_ref: 'notebook_cell@v1',
      params: {
        source,
        timeout_seconds: 30,
        input_specs: { a: { uri: 'svc://artifact/in@v=1', content_type: 'json/object' } },
        ...params,
      },
    },
    inputs: [{ artifact_id: 'in', version: 1, url: `${base}/in?s=1` }],
    output: { url: `${base}/upload?s=1`, max_bytes: 1000, expires_at: 1, method: 'POST' },
    finalize_url: `${base}/finalize?s=1`,
    ...more,
  });
}

describe('a worker that pulls cells', () => {
  let worker: TestWorker;
  before(async () => {
    worker = await startWorker({
      env: { SVC_WORKER_ALLOW_LOCAL_HOSTS: '1', SVC_WORKER_OUTPUT_DIR_POLL_SECONDS: '0.05' },
    });
  });
  after(() => worker[Symbol.asyncDispose]());

  const inputs = (call: Call) => (call.path === '/in' ? { body: '41' } : {});

  it('fetches inputs, uploads the bundle, finalizes', async (context) => {
    const { base, calls } = await recorder(context, inputs);
    const answer = await worker.post('/v1/execute-manifest', manifestFor(base, 'b = a + 1'));
    const upload = calls.find(({ path }) => path === '/upload');
    assert.ok(upload);
    assert.deepEqual(await answer.json(), {
      success: true,
      build_id: 'bb',
      byte_size: upload.body.length,
      protocol_version: 'notebook-build-manifest@v1',
      finalize: { ok: true },
    });
    assert.deepEqual(
      calls.map(({ method, path, headers }) => [method, path, headers['content-type']]),
      [
        ['GET', '/in', undefined],
        ['POST', '/upload', 'application/x-tar'],
        ['POST', '/finalize', 'application/json'],
      ],
    );
    assert.equal((await readBundleText(upload.body)).members['files/b.json'], '42');
    assert.equal(calls.at(-1)?.body.toString(), '{"output_format":"notebook-output-bundle@v1"}');
  });

  it('uploads as object stores want it', async (context) => {
    const { base, calls } = await recorder(context, (call) =>
      call.path === '/upload' ? { status: 204, body: '' } : inputs(call),
    );
    const put = { url: `${base}/upload`, method: 'PUT', headers: { 'x-ms-blob-type': 'BlockBlob' } };
    const post = { url: `${base}/upload`, method: 'POST', fields: { key: 'k', policy: 'p' } };
    for (const output of [put, post])
      assert.equal((await worker.post('/execute', manifestFor(base, 'b = a', { output }))).status, 200);
    const [first, second] = calls.filter(({ path }) => path === '/upload');
    assert.deepEqual([first?.method, first?.headers['x-ms-blob-type']], ['PUT', 'BlockBlob']);
    assert.match(
      second?.body.toString('latin1') ?? '',
      /name="key"\r\n\r\nk\r\n[\s\S]*name="file"; filename="bundle.tar"/,
    );
  });

  it('tells console and finished files while the cell runs', async (context) => {
    const { base, calls } = await recorder(context, (call) => (call.path === '/file' ? { status: 201 } : inputs(call)));
    const source = `# @output_dir model
import sys, time
print("one", flush=True)
print("bad", file=sys.stderr, flush=True)
(model / "a.txt").write_text("alpha")
time.sleep(0.4)
print("two", flush=True)`;
    const urls = { log_url: `${base}/log?s=1`, output_file_url: `${base}/file?s=1` };
    await worker.post('/v1/execute-manifest', manifestFor(base, source, urls));
    const logs = calls.filter(({ path }) => path === '/log');
    for (const stream of ['stdout', 'stderr']) {
      const own = logs.filter(({ query }) => query.stream === stream);
      assert.deepEqual(
        own.map(({ query }) => query.seq),
        own.map((_, index) => String(index)),
      );
      assert.equal(own.map(({ body }) => body.toString()).join(''), stream === 'stdout' ? 'one\ntwo\n' : 'bad\n');
    }
    const sent = calls.filter(({ path }) => path === '/file');
    assert.deepEqual(
      sent.map(({ query, body }) => [query.folder, query.path, body.toString()]),
      [['model', 'a.txt', 'alpha']],
    );
    assert.ok(calls.findIndex(({ path }) => path === '/file') < calls.findLastIndex(({ path }) => path === '/log'));
    const { members, manifest } = await readBundleText(
      calls.find(({ path }) => path === '/upload')?.body ?? Buffer.alloc(0),
    );
    assert.deepEqual(
      [manifest.output_dirs, manifest.output_dirs_streamed, members['dirs/model/a.txt']],
      [{ model: {} }, { model: ['a.txt'] }, undefined],
    );
  });

  it('refuses what is malformed, and tells where the chain broke', async (context) => {
    const { base } = await recorder(context, (call) => {
      if (call.path === '/gone') return { status: 404 };
      if (call.path === '/denied') return { status: 403, body: '{"detail":"expired"}' };
      return inputs(call);
    });
    const at = (more: object, params: object = {}) => manifestFor(base, 'b = 1', more, params);
    const input = { artifact_id: 'in', version: 1 };
    const cases: [string, string, [number, string]][] = [
      ['no JSON', '{', detail(400)],
      ['no object', '[]', detail(400)],
      ['no metadata', at({ metadata: undefined }), detail(400)],
      ['other executor', at({ metadata: { executor_ref: 'sql@v1', params: { source: '' } } }), detail(400)],
      ['no params', at({ metadata: { executor_ref: 'notebook_cell@v1' } }), detail(400)],
      ['inputs that are no list', at({ inputs: {} }), detail(400)],
      ['input without an address', at({ inputs: [input] }), detail(400)],
      ['no output', at({ output: null }), detail(400)],
      ['no finalize', at({ finalize_url: '' }), detail(400)],
      ['other scheme', at({ finalize_url: 'file:///etc/passwd' }), detail(400)],
      ['input without a uri', at({}, { input_specs: { a: {} } }), detail(400)],
      ['input nobody signed', at({ inputs: [] }), detail(400)],
      ['input gone', at({ inputs: [{ ...input, url: `${base}/gone` }] }), detail(502)],
      ['nobody there', at({ output: { url: 'http://127.0.0.1:9/' } }), detail(502)],
      ['upload denied', at({ output: { url: `${base}/denied` } }), detail(502)],
      ['finalize denied', at({ finalize_url: `${base}/denied` }), detail(502)],
      ['too slow', manifestFor(base, 'while True: pass', {}, { timeout_seconds: 0.3 }), failure(408)],
    ];
    for (const [what, body, expected] of cases)
      assert.deepEqual(await refusalOf(await worker.post('/v1/execute-manifest', body)), expected, what);
    const told = await (await worker.post('/execute', at({ finalize_url: `${base}/denied` }))).text();
    assert.match(told, /finalize failed.*403 \(expired\)/);
  });

  it('cancels before the cell begins', async (context) => {
    const asked = Promise.withResolvers<void>();
    const server = createServer(() => asked.resolve());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    context.after(() => {
      server.closeAllConnections();
      server.close();
    });
    const address = server.address();
    assert.ok(address !== null && typeof address === 'object');
    const answer = worker.post('/v1/execute-manifest', manifestFor(`http://127.0.0.1:${address.port}`, 'x = 1'));
    await asked.promise;
    await worker.post('/v1/executions/bb/cancel');
    assert.deepEqual(await refusalOf(await answer), failure(409));
  });
});

describe('a locked environment', () => {
  // A project without packages: installing it needs no index.
  const lockfile = `version = 1
requires-python = "==3.13.*"

[[package]]
name = "empty"
version = "0.1.0"
source = { virtual = "." }
`;
  const pyproject = '[project]\nname = "empty"\nversion = "0.1.0"\nrequires-python = "==3.13.*"\n';
  const key = environmentKey(parseLock(lockfile));
  const params = { environment: { key, python: '3.13', lockfile, pyproject } };
  const source = 'import sys\nprefix = sys.prefix';

  it('is built once where the registry has none, and fails the cell where it is broken', async (context) => {
    let answer: { status?: number; body?: string } = { status: 404 };
    const { base, calls } = await recorder(context, () => answer);
    await using worker = await startWorker({ env: { SVC_WORKER_ENV_REGISTRY_URL: `${base}/` } });
    const { members } = await bundleOf(await worker.execute(source, { params }));
    assert.match(members['files/prefix.json'] ?? '', /worker-envs/);
    assert.equal((await worker.execute(source, { params })).status, 200);
    assert.deepEqual(
      calls.map(({ path }) => path.replace(/cpython-3\.13[^/]*\/[^/]+$/, '<build>')),
      [`/${key}/<build>`],
    );
    for (const broken of [{ status: 500 }, { status: 302 }, { status: 200, body: 'no archive' }]) {
      answer = broken;
      await using other = await startWorker({ env: { SVC_WORKER_ENV_REGISTRY_URL: base } });
      assert.deepEqual(await refusalOf(await other.execute(source, { params })), failure(500));
    }
    const wrong = { environment: { ...params.environment, python: '2.7' } };
    assert.deepEqual(await refusalOf(await worker.execute(source, { params: wrong })), failure(500));
  });
});

describe('a worker on the internet', () => {
  it('fetches from no inside address, and no more than it takes', async (context) => {
    const { base, calls } = await recorder(context, () => ({ body: 'x'.repeat(2000) }));
    await using strict = await startWorker();
    assert.deepEqual(
      await refusalOf(await strict.post('/v1/execute-manifest', manifestFor(base, 'x = 1'))),
      detail(400),
    );
    assert.equal(calls.length, 0);
    const env = { SVC_WORKER_ALLOWED_HOSTS: '127.0.0.1', SVC_WORKER_MAX_INPUT_BYTES: '1000' };
    await using named = await startWorker({ env });
    assert.deepEqual(
      await refusalOf(await named.post('/v1/execute-manifest', manifestFor(base, 'x = 1'))),
      detail(413),
    );
  });

  it('keeps a connection alive through proxies where it is told to', async (context) => {
    const { base } = await recorder(context, (call) => (call.path === '/in' ? { body: '1' } : {}));
    const env = { SVC_WORKER_ALLOW_LOCAL_HOSTS: '1', SVC_WORKER_HEARTBEAT_SECONDS: '0.2' };
    await using worker = await startWorker({ env });
    const slow = await worker.post('/execute', manifestFor(base, 'import time\ntime.sleep(1)'));
    assert.deepEqual([slow.status, slow.headers.get('x-svc-status-in-body')], [200, '1']);
    const text = await slow.text();
    assert.match(text, /^ +\{/);
    const { status_code, content } = JSON.parse(text);
    assert.deepEqual([status_code, JSON.parse(content).success], [200, true]);
    assert.deepEqual(await refusalOf(await worker.post('/execute', '{')), detail(400));
  });
});
