// A worker that pulls its cells: signed addresses, what it tells meanwhile, whom it does not ask, locked environments.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it, type TestContext } from 'node:test';
import { environmentKey, parseLock } from '../src/environments/index.ts';
import { listening } from './kit/listening.ts';
import { type Call, recorder } from './kit/recorder.ts';
import { until } from './kit/until.ts';
import {
  bundleOf,
  detail,
  failure,
  health,
  readBundleText,
  refusalOf,
  startWorker,
  type TestWorker,
} from './kit/worker.ts';

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

  it('brings its result again when the way there broke, or its answer was lost', async (context) => {
    const troubles: Record<string, { status?: number; body?: string; cut?: boolean }[]> = {
      '/upload': [{ cut: true }, { status: 503 }],
      '/finalize': [{ cut: true }, { status: 409, body: '{"detail":"it is over"}' }],
    };
    const { base, calls } = await recorder(context, (call) => troubles[call.path]?.shift() ?? inputs(call));
    const answer = await worker.post('/v1/execute-manifest', manifestFor(base, 'b = a + 1'));
    assert.deepEqual([answer.status, Object(await answer.json()).finalize], [200, { detail: 'it is over' }]);
    const uploads = calls.filter(({ path }) => path === '/upload').map(({ body }) => body);
    assert.equal(uploads.length, 3);
    assert.ok(uploads.every((body) => body.equals(uploads[0] ?? Buffer.alloc(0))));
    assert.equal(calls.filter(({ path }) => path === '/finalize').length, 2);
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

  /** A cell that runs for longer than its addresses are good for, on a server whose clock differs by so much. */
  async function runLong(context: TestContext, differenceSeconds: number): Promise<void> {
    const seconds = (): number => Date.now() / 1000 + differenceSeconds;
    const issued: { until: number }[] = [];
    let base = '';
    /** Addresses that are good for five seconds, and only until there are newer ones. */
    function issue(): object {
      const number = issued.push({ until: seconds() + 5 }) - 1;
      const url = (name: string): string => `${base}/${name}?number=${number}`;
      return {
        output: { url: url('upload'), expires_at: issued[number]?.until },
        finalize_url: url('finalize'),
        log_url: url('log'),
        manifest_url: url('manifest'),
        ...(differenceSeconds === 0 ? {} : { issued_at: seconds() }),
      };
    }
    let failures = 1;
    const answered = await recorder(context, (call) => {
      if (call.path === '/in') return { body: '41' };
      const number = Number(call.query.number);
      if (seconds() > (issued[number]?.until ?? 0)) return { status: 403, body: '{"detail":"expired"}' };
      if (call.path === '/manifest') {
        const body = JSON.stringify(issue());
        // Its answer is lost once: what it retired is not to be used.
        return failures-- > 0 ? { status: 500 } : { body };
      }
      const isRetired = ['/upload', '/finalize'].includes(call.path) && number !== issued.length - 1;
      return isRetired ? { status: 409, body: '{"detail":"retired"}' } : {};
    });
    base = answered.base;
    const source = 'import time\nprint("early", flush=True)\ntime.sleep(6)\nprint("late", flush=True)\nb = a + 1';
    const answer = await worker.post('/v1/execute-manifest', manifestFor(base, source, issue()));
    assert.equal(answer.status, 200, await answer.text());
    assert.ok(issued.length > 2);
    const told = answered.calls.filter(({ path }) => path === '/log').map(({ body }) => body.toString());
    assert.deepEqual(told.join(''), 'early\nlate\n');
  }

  it('fetches the manifest again while the cell runs longer than its addresses are good for', (context) =>
    runLong(context, 0));

  it('minds by how much the clock of the server differs', (context) =>
    Promise.all([3600, -3600].map((difference) => runLong(context, difference))).then(() => {}));

  it('does not go where a later manifest must not send it, and gives up where it is refused', async (context) => {
    const first = await startWorker({ env: { SVC_WORKER_ALLOWED_HOSTS: '127.0.0.1' } });
    await using guarded = first;
    for (const [status, answer] of [
      [200, { output: { url: 'http://169.254.169.254/' }, finalize_url: 'http://169.254.169.254/' }],
      [200, 'x'],
      [200, { output: { url: 'file:///etc/passwd', expires_at: 1 }, finalize_url: 'x' }],
      [404, {}],
    ] as const) {
      const { base, calls } = await recorder(context, (call) =>
        call.path === '/manifest' ? { status, body: JSON.stringify(answer) } : inputs(call),
      );
      const output = { url: `${base}/upload`, expires_at: Date.now() / 1000 };
      const manifest = manifestFor(base, 'import time\ntime.sleep(1.2)\nb = 1', {
        output,
        manifest_url: `${base}/manifest`,
      });
      const got = await guarded.post('/v1/execute-manifest', manifest);
      assert.equal(got.status, 200, await got.text());
      const asked = calls.filter(({ path }) => path === '/manifest').length;
      assert.deepEqual([calls.at(-1)?.path, asked >= 1], ['/finalize', true]);
      if (status === 404) assert.equal(asked, 1);
    }
  });

  describe('whose caller hangs up', () => {
    const endless = 'import time\nprint("begun", flush=True)\ntime.sleep(600)';

    /** Sends the cell and hangs up once it has begun. */
    async function sendAndLeave(base: string, begun: Promise<unknown>, source: string, more: object): Promise<void> {
      const leaving = new AbortController();
      const urls = { log_url: `${base}/log`, ...more };
      const params = { timeout_seconds: 900 };
      const manifest = manifestFor(base, source, urls, params);
      const post = { method: 'POST', body: manifest, signal: leaving.signal };
      const answer = fetch(`${worker.address}/v1/execute-manifest`, post);
      await Promise.race([begun, answer]);
      leaving.abort();
      await assert.rejects(answer, { name: 'AbortError' });
    }

    it('ends the cell once the server says that it will take no result', async (context) => {
      for (const status of [403, 404]) {
        const begun = Promise.withResolvers<void>();
        const asked = Promise.withResolvers<void>();
        const { base, calls } = await recorder(context, (call) => {
          if (call.path === '/log') begun.resolve();
          if (call.path !== '/manifest') return inputs(call);
          asked.resolve();
          return { status };
        });
        await sendAndLeave(base, begun.promise, endless, { manifest_url: `${base}/manifest` });
        await asked.promise;
        await until(async () => (await health(worker)).active_executions === 0, 'the worker runs nothing');
        assert.equal(calls.filter(({ path }) => path === '/upload').length, 0);
      }
    });

    it('goes on where the server is away for a moment, or cannot be asked', async (context) => {
      const again = Promise.withResolvers<void>();
      let asked = 0;
      const begun = Promise.withResolvers<void>();
      const brought = Promise.withResolvers<void>();
      const { base } = await recorder(context, (call) => {
        if (call.path === '/log') begun.resolve();
        if (call.path === '/go') return { status: asked > 2 ? 200 : 503 };
        if (call.path === '/finalize') brought.resolve();
        if (call.path !== '/manifest') return inputs(call);
        asked += 1;
        if (asked === 3) again.resolve();
        const addresses = { output: { url: `${base}/upload` }, finalize_url: `${base}/finalize` };
        const body = JSON.stringify({ ...addresses, manifest_url: `${base}/manifest` });
        return asked === 1 ? { status: 502 } : asked === 2 ? { status: 429 } : { body };
      });
      // It ends when the server has answered again.
      const untilAsked = `import time, urllib.error, urllib.request
print("begun", flush=True)
while True:
    try:
        urllib.request.urlopen("${base}/go").read()
        break
    except urllib.error.HTTPError:
        time.sleep(0.1)
b = a + 1`;
      await sendAndLeave(base, begun.promise, untilAsked, { manifest_url: `${base}/manifest` });
      await again.promise;
      await brought.promise;

      const alone = Promise.withResolvers<void>();
      const started = Promise.withResolvers<void>();
      const silent = await recorder(context, (call) => {
        if (call.path === '/log') started.resolve();
        if (call.path === '/finalize') alone.resolve();
        return inputs(call);
      });
      const short = 'import time\nprint("begun", flush=True)\ntime.sleep(1)\nb = a';
      await sendAndLeave(silent.base, started.promise, short, {});
      await alone.promise;
    });
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
    const at = await listening(context, server);
    const answer = worker.post('/v1/execute-manifest', manifestFor(at, 'x = 1'));
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
