// A worker that is pushed cells: bundles, refusals, capacity, tokens, secrets, cancel.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { packTar } from '../src/bundle/index.ts';
import { until } from './kit/until.ts';
import {
  bundleOf,
  cellForm,
  detail,
  failure,
  form,
  health,
  refusalOf,
  startWorker,
  type TestWorker,
} from './kit/worker.ts';

describe('a worker that is pushed cells', { concurrency: 4 }, () => {
  let worker: TestWorker;
  before(async () => {
    worker = await startWorker();
  });
  after(() => worker[Symbol.asyncDispose]());

  it('says what it is', async () => {
    const { capabilities, hardware, own_environment, uptime_seconds, version, ...rest } = await health(worker);
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
    assert.match(own_environment?.python ?? '', /^3\.\d+\.\d+$/);
    assert.match(own_environment?.digest ?? '', /^[0-9a-f]{64}$/);
    assert.ok((hardware?.cpus ?? 0) > 0 && (hardware?.memory_mb ?? 0) > 0);
  });

  it('writes down for whom each cell ran and how it ended', async () => {
    const told = await startWorker({ env: { SVC_LOG_LEVEL: 'INFO', SVC_LOG_FORMAT: 'json' } });
    await (await told.execute('1 / 0', { metadata: { build_id: 'b1', principal: 'ann' } })).arrayBuffer();
    await told[Symbol.asyncDispose]();
    const line = told
      .output()
      .split('\n')
      .find((text) => text.includes('Cell ended'));
    const { build_id, principal, outcome } = JSON.parse(line ?? '{}');
    assert.deepEqual([build_id, principal, outcome], ['b1', 'ann', 'error']);
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

  it('takes numbers as other languages write them', async () => {
    const params = (timeout: string) =>
      `{"protocol_version":"v1","transform":{"ref":"notebook_cell@v1","params":{"source":"x = 1","timeout_seconds":${timeout}}}}`;
    const pushed = async (timeout: string) => (await worker.post('/v1/execute', form(params(timeout)))).status;
    assert.deepEqual(
      [
        await pushed('30.0'),
        await pushed('3e1'),
        await pushed('5000000.0'),
        await pushed('-1.0'),
        await pushed('1e999'),
      ],
      [200, 200, 200, 400, 400],
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
      ['input with an over-long name', form({ transform, inputs: [{ ...input, name: 'a'.repeat(400) }] }), detail(400)],
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
    assert.deepEqual(await refusalOf(await worker.post('/v1/executions/%zz/cancel')), detail(400));
    assert.deepEqual(await refusalOf(await worker.post(`/v1/executions/${'a'.repeat(5000)}/cancel`)), detail(400));
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
    await until(async () => ((await health(worker)).active_executions ?? 0) > 0, 'the worker runs the cell');
    assert.equal((await health(worker)).free_gpu_slots, 0);
    const second = await worker.execute('x = 1');
    assert.deepEqual([second.headers.get('retry-after'), await refusalOf(second)], ['5', detail(503)]);
    await fs.writeFile(flag, '');
    assert.equal((await bundleOf(await first)).members['files/gpu.json'], '"0"');
    await fs.rm(flag);
    assert.equal((await health(worker)).free_gpu_slots, 1);
  });

  it('lets no two of ten cells at once have the same GPU, however they end', async () => {
    await using worker = await startWorker({ args: ['--gpu-slots', '2'] });
    const folder = await fs.mkdtemp('/tmp/svc-worker-slots-');
    // The file is there while a cell has the slot: whoever finds it is one too many.
    const begin = `import os, signal\nmine = f"${folder}/{os.environ['CUDA_VISIBLE_DEVICES']}"\nos.open(mine, os.O_CREAT | os.O_EXCL)\nsum(range(300_000))\nos.remove(mine)\n`;
    const endings = ['x = 1', '1 / 0', 'os._exit(9)', 'os.kill(os.getpid(), signal.SIGKILL)', 'raise SystemExit'];
    const untilTaken = async (source: string): Promise<Response> => {
      const answer = await worker.execute(source);
      return answer.status === 503 ? untilTaken(source) : answer;
    };
    const answers = await Promise.all([...endings, ...endings].map((ending) => untilTaken(begin + ending)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 500, 500, 200, 200, 200, 500, 500, 200],
    );
    for (const answer of answers) assert.doesNotMatch(await answer.text(), /FileExistsError/);
    const { free_gpu_slots, active_executions } = await health(worker);
    assert.deepEqual([free_gpu_slots, active_executions, await fs.readdir(folder)], [2, 0, []]);
    await fs.rm(folder, { recursive: true });
  });

  it('stops a cell whose caller hangs up', async () => {
    await using worker = await startWorker();
    const gone = new AbortController();
    const body = cellForm('import time\ntime.sleep(600)', {});
    const asked = fetch(`${worker.address}/v1/execute`, { method: 'POST', body, signal: gone.signal });
    await until(async () => ((await health(worker)).active_executions ?? 0) > 0, 'the worker runs the cell');
    gone.abort();
    await assert.rejects(asked);
    await until(async () => (await health(worker)).active_executions === 0, 'the worker runs nothing');
  });

  it('stops a cell with everything that it started', async () => {
    await using worker = await startWorker({ env: { SVC_WORKER_MAX_CONCURRENT: '1' } });
    const source =
      'import subprocess, time\nchild = subprocess.Popen(["sleep", "1234.5"], start_new_session=True)\ntime.sleep(600)';
    const running = worker.execute(source, { metadata: { build_id: 'cxl-1' } });
    await until(async () => (await fs.readdir('/proc')).some((pid) => isSleeping(pid)), 'the cell runs');
    const cancelled = await worker.post('/v1/executions/cxl-1/cancel');
    assert.deepEqual(await cancelled.json(), { build_id: 'cxl-1', cancelled: true });
    assert.deepEqual(await refusalOf(await running), failure(500));
    assert.deepEqual((await fs.readdir('/proc')).filter(isSleeping), []);
    assert.equal((await health(worker)).active_executions, 0);
  });
});

function isSleeping(pid: string): boolean {
  try {
    return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') === 'sleep\x001234.5\0';
  } catch {
    return false;
  }
}
