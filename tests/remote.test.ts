// Cells of a notebook on real workers: results, failures, and what clients are told of both.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { before, describe, it, type TestContext } from 'node:test';
import { nothingTouched } from '../src/notebook/run/index.ts';
import { configuredWorkersBody, workersBody } from '../src/protocol/index.ts';
import { type FakeAnswer, fakeWorker } from './kit/fakeWorker.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { specOf, startRemote, workerToken } from './kit/remote.ts';
import { startServer } from './kit/server.ts';
import { until } from './kit/until.ts';
import { health, startWorker } from './kit/worker.ts';

const remote = startRemote();
const { notebookWith } = remote;
const ofWorker = { asked: false, remade: [], settings_used: [], settings_made: [], worker: 'gpu' };

for (const transport of ['direct', 'signed']) {
  describe(`cells on a worker, ${transport}`, () => {
    let notebook: TestNotebook;
    before(async () => {
      notebook = await notebookWith(`On ${transport}`, specOf('gpu', remote.worker.address, { transport }));
    });

    it('read what other cells gave and give what others read', async () => {
      const here = await notebook.add('numbers = [1, 2, 3]');
      const there = await notebook.add(`# @worker gpu
import os
print("on the worker")
total = sum(numbers)
def twice(x):
    return 2 * x
total`);
      const back = await notebook.add('twice(total)');
      await notebook.run(here);
      const frames = notebook.framesUntil(
        ({ type, payload }) => type === 'cell_status' && payload.cell_id === there && payload.status === 'ready',
      );
      const ran = await notebook.run(there);
      const running = (await frames).flatMap(({ type, payload }) =>
        type === 'cell_status' && payload.status === 'running' ? [[payload.cell_id, payload.remote_worker]] : [],
      );
      if (transport === 'direct')
        assert.deepEqual(running.at(-1), [there, 'gpu'], 'whoever watches sees where it runs');
      assert.deepEqual(
        [ran.status, ran.execution_method, ran.remote_worker, ran.remote_transport, ran.stdout, ran.display?.preview],
        ['ready', 'executor', 'gpu', transport, 'on the worker\n', 6],
        String(ran.error),
      );
      assert.equal((await notebook.run(back)).display?.preview, 12);
      assert.equal((await notebook.run(there)).cache_hit, true);
      const record = await notebook.cell(there);
      assert.deepEqual([record.status, record.cache_hit], ['ready', true]);
    });

    it('are sent to an address without a path', async () => {
      for (const [index, url] of [remote.worker.address, `${remote.worker.address}/`].entries()) {
        const own = await notebookWith(`Bare ${transport} ${index}`, specOf('bare', '', { url, transport }));
        const ran = await own.run(await own.add('# @worker bare\n6 * 7'));
        assert.deepEqual([ran.error, ran.display?.preview], [null, 42]);
      }
    });

    it('read code with what it was lent, values by variant, and run in a loop', async () => {
      const code = await notebook.add('factor = 3\ndef times(x):\n    return factor * x');
      const one = await notebook.add('# @variant size small\nsize = 1');
      const two = await notebook.add('# @variant size large\nsize = 2');
      await notebook.request('PUT', '/variant-groups/size', { mode: 'sweep' });
      const reads = await notebook.add('# @worker gpu\nsorted(times(v) for v in size.values())');
      for (const cell of [code, one, two]) assert.equal((await notebook.run(cell)).error, null);
      assert.deepEqual((await notebook.run(reads)).display?.preview, [3, 6]);
      const seed = await notebook.add('state = 1');
      const loop = await notebook.add(
        '# @worker gpu\n# @loop max_iter=4 carry=state\n# @loop_until state >= 8\nstate = state * 2',
      );
      await notebook.run(seed);
      const looped = await notebook.run(loop);
      assert.deepEqual([looped.status, looped.error], ['ready', null]);
    });

    it('are forked from an interpreter that stays', async () => {
      const parents = [];
      for (const name of ['a', 'b']) {
        const cell = await notebook.add(`# @worker gpu\nimport os\n${name} = 1\nos.getppid()`);
        parents.push((await notebook.run(cell)).display?.preview);
      }
      assert.equal(parents[1], parents[0]);
    });

    it('tell what they touched there: Run runs what may differ, and nobody here watches files of another machine', async (t) => {
      const folder = mkdtempSync(path.join(os.tmpdir(), 'svc-told-'));
      t.after(() => rmSync(folder, { recursive: true }));
      const prices = path.join(folder, 'prices.csv');
      writeFileSync(prices, '1');
      const asked = http.createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
      t.after(() => asked.close());
      await once(asked, 'listening');
      const { port } = asked.address() as AddressInfo;
      const touching = await notebook.add(`# @worker gpu
import urllib.request
open("own.txt", "w").write(open(${JSON.stringify(prices)}).read())
answer = urllib.request.urlopen("http://127.0.0.1:${port}/?key=secret").read().decode()`);
      const reading = await notebook.add('answer');
      const ran = await notebook.run(touching);
      const told = {
        ...nothingTouched,
        read: [prices],
        written: ['own.txt'],
        hosts: ['127.0.0.1'],
        ...ofWorker,
      };
      assert.deepEqual([ran.error, ran.effects], [null, told]);
      assert.deepEqual((await notebook.cell(touching)).effects, told);
      await notebook.run(reading);
      writeFileSync(prices, '2');
      assert.equal((await notebook.cell(touching)).status, 'ready', 'it is told, not watched');
      assert.equal((await notebook.run(reading)).cache_hit, true, 'cells below go on with what is stored');
      assert.equal((await notebook.run(touching)).cache_hit, false, 'a repeat may give something else');
    });

    it('of which nothing could come out differently are not run again', async () => {
      const cell = await notebook.add(`# @worker gpu\nhome = 1\nopen("own-${transport}.txt", "w").close()`);
      assert.equal((await notebook.run(cell)).cache_hit, false);
      const again = await notebook.run(cell);
      assert.deepEqual(
        [again.cache_hit, again.effects],
        [true, { ...nothingTouched, ...ofWorker, written: [`own-${transport}.txt`] }],
      );
    });

    it('fail as cells do, with where it happened', async () => {
      const cell = await notebook.add('# @worker gpu\nprint("before")\n1 / 0');
      const ran = await notebook.run(cell);
      assert.deepEqual(
        [ran.status, ran.error, ran.error_type, ran.remote_worker, ran.remote_error_code, ran.stdout],
        ['error', 'ZeroDivisionError: division by zero', 'ZeroDivisionError', 'gpu', undefined, 'before\n'],
      );
    });

    it('time out with a code', async () => {
      const cell = await notebook.add('# @worker gpu\n# @timeout 0.5\nwhile True: pass');
      const ran = await notebook.run(cell);
      assert.deepEqual([ran.status, ran.remote_error_code], ['error', 'TIMEOUT'], String(ran.error));
    });

    it('keep folders, which other cells read there and here', async () => {
      const write = await notebook.add(
        '# @worker gpu\n# @output_dir model\n(model / "sub").mkdir()\n(model / "sub/a.txt").write_text("alpha")',
      );
      const there = await notebook.add('# @worker gpu\n(model / "sub/a.txt").read_text() + " there"');
      const here = await notebook.add('(model / "sub/a.txt").read_text() + " here"');
      assert.equal((await notebook.run(write)).error, null);
      assert.equal((await notebook.run(there)).display?.preview, 'alpha there');
      assert.equal((await notebook.run(here)).display?.preview, 'alpha here');
    });

    it('stop when they are cancelled, there too', async () => {
      const cell = await notebook.add('# @worker gpu\nimport time\ntime.sleep(600)');
      const running = notebook.run(cell);
      await until(async () => ((await health(remote.worker)).active_executions ?? 0) > 0, 'the worker runs the cell');
      await notebook.request('POST', `/cells/${cell}/cancel`);
      assert.equal((await running).error_code, 'cancelled');
      await until(async () => (await health(remote.worker)).active_executions === 0, 'the worker runs nothing');
    });
  });
}

describe('a worker that is killed', () => {
  it('fails its cells, leaves no process, and its folders go when the next one starts', async () => {
    const env = { SVC_WORKER_TOKEN: workerToken };
    const doomed = await startWorker({ env });
    const notebook = await notebookWith('Killed', specOf('doomed', doomed.address));
    const cell = await notebook.add('# @worker doomed\nimport subprocess\nsubprocess.run(["sleep", "4321.5"])');
    const running = notebook.run(cell);
    await until(() => isSleeping(), 'the cell runs');
    doomed.process.kill('SIGKILL');
    const ran = await running;
    assert.deepEqual([ran.status, ran.remote_error_code], ['error', 'REQUEST_FAILED']);
    await until(() => !isSleeping(), 'the cell has ended');
    const folder = path.join(os.tmpdir(), `svc-worker-${os.userInfo().uid}`);
    const left = () => readdirSync(folder).filter((name) => name.startsWith(`${doomed.process.pid}-`));
    assert.equal(left().length, 1);
    await using _next = await startWorker({ env });
    assert.deepEqual(left(), []);
  });
});

function isSleeping(): boolean {
  return readdirSync('/proc').some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') === 'sleep\x004321.5\0';
    } catch {
      return false;
    }
  });
}

describe('the console of a cell that a worker pulled', () => {
  it('is told while it runs', async () => {
    const notebook = await notebookWith('Console', specOf('gpu', remote.worker.address, { transport: 'signed' }));
    const cell = await notebook.add(
      '# @worker gpu\nimport time\nprint("early", flush=True)\ntime.sleep(0.5)\nprint("late")',
    );
    const told = notebook.framesUntil(({ type }) => type === 'cell_output');
    await notebook.run(cell);
    const frames = (await told).filter(({ type }) => type === 'cell_console');
    assert.deepEqual(
      [frames[0]?.payload.text, frames.map(({ payload }) => payload.text).join('')],
      ['early\n', 'early\nlate\n'],
    );
  });
});

describe('a worker that does not do as it should', () => {
  let count = 0;

  async function codeOf(context: TestContext, answer: FakeAnswer, config: object = {}, health?: FakeAnswer) {
    const fake = await fakeWorker(context, answer, health);
    const notebook = await notebookWith(`Fake ${count++}`, specOf('fake', fake.address, config));
    const cell = await notebook.add('# @worker fake\n# @timeout 2\nx = 1');
    const ran = await notebook.run(cell);
    const after = await notebook.add('1 + 1');
    assert.equal((await notebook.run(after)).display?.preview, 2);
    return { code: ran.remote_error_code, error: String(ran.error), calls: fake.calls };
  }

  it('fails the cell with the status it answers', async (context) => {
    const { code, error } = await codeOf(context, (_request, response) =>
      response.writeHead(500).end('{"success":false,"error":"no R\\u001b[31m here"}'),
    );
    assert.equal(code, 'EXECUTOR_HTTP_ERROR');
    assert.match(error, /answered 500: no R\[31m here/);
  });

  it('that repeats its token is not repeated', async (context) => {
    const { error } = await codeOf(context, ({ headers }, response) =>
      response.writeHead(500).end(JSON.stringify({ detail: `who is ${headers.authorization}?` })),
    );
    assert.match(error, /answered 500: who is Bearer \*\*\*\?/);
  });

  it('that speaks another version is refused', async (context) => {
    const headers = { 'content-type': 'application/x-tar', 'x-svc-executor-protocol': 'v2' };
    const { code } = await codeOf(context, (_request, response) => response.writeHead(200, headers).end());
    assert.equal(code, 'PROTOCOL_ERROR');
  });

  it('that sends no bundle is refused', async (context) => {
    const { code } = await codeOf(context, (_request, response) => response.end('not a tar'.repeat(200)));
    assert.equal(code, 'INVALID_NOTEBOOK_BUNDLE');
  });

  it('that is lost fails the cell, and the session goes on', async (context) => {
    const { code, calls } = await codeOf(context, (request) => request.socket.destroy());
    assert.equal(code, 'REQUEST_FAILED');
    assert.match(calls.at(-1) ?? '', /cancel$/);
  });

  it('that stays full is given up after the time for machines to start', async (context) => {
    for (const transport of ['direct', 'signed']) {
      const full: FakeAnswer = (_request, response) =>
        response.writeHead(503, { 'retry-after': '1' }).end('{"detail":"full"}');
      const health = '{"status":"healthy","capabilities":{"features":{}},"active_executions":2,"max_concurrent":2}';
      const { code, calls } = await codeOf(context, full, { transport }, (_request, response) => response.end(health));
      // Only its health is asked again.
      assert.deepEqual(
        [code, calls.filter((call) => call.startsWith('POST /v1/execute')).length],
        ['PROVISIONING_TIMEOUT', 1],
        transport,
      );
    }
  });

  it('that keeps a job waiting is cancelled', async (context) => {
    const { code, error, calls } = await codeOf(context, (request, response) => {
      if (request.method === 'POST') response.writeHead(202).end('{"job_url":"/v1/jobs/1"}');
      else response.end('{"state":"provisioning","position":3,"detail":"  behind others "}');
    });
    assert.equal(code, 'PROVISIONING_TIMEOUT');
    assert.match(error, /last provisioning/);
    assert.match(calls.at(-1) ?? '', /cancel$/);
  });

  it('that sends its callers elsewhere for a job is refused', async (context) => {
    const { code } = await codeOf(context, (_request, response) =>
      response.writeHead(202).end('{"job_url":"http://example.org/v1/jobs/1"}'),
    );
    assert.equal(code, 'PROTOCOL_ERROR');
  });

  it('whose job fails or cannot be asked about fails the cell', async (context) => {
    const answers = ['{"state":"running"}', '{"state":"failed","status_code":408,"error":"too slow"}'];
    const { code } = await codeOf(context, (request, response) => {
      if (request.method === 'POST') response.writeHead(202).end('{"job_url":"/v1/jobs/1"}');
      else response.end(answers.shift());
    });
    assert.equal(code, 'TIMEOUT');
    const lost = await codeOf(context, (request, response) => {
      if (request.method === 'POST') response.writeHead(202).end('{"job_url":"/v1/jobs/1"}');
      else response.writeHead(404).end();
    });
    assert.equal(lost.code, 'JOB_STATUS_FAILED');
  });
});

describe('hints', () => {
  it('go to a worker once a minute, whatever it answers', async (context) => {
    const fake = await fakeWorker(context, (_request, response) => response.writeHead(404).end());
    const notebook = await notebookWith('Hints', specOf('fake', fake.address));
    const cell = await notebook.add('# @worker fake\nx = 1');
    notebook.socket.send('cell_focus', { cell_id: cell });
    notebook.socket.send('cell_focus', { cell_id: cell });
    await until(() => fake.calls.includes('POST /v1/hints'), 'the worker is given a hint');
    await notebook.request('PUT', '/worker', { worker: 'fake' });
    assert.equal(fake.calls.filter((call) => call === 'POST /v1/hints').length, 1);
  });
});

describe('the list of workers', () => {
  it('shows how each one is, and no token', async () => {
    const notebook = await createTestNotebook(remote.server, 'List');
    await notebook.add('# @worker nobody\nx = 1');
    const workers = [
      specOf('gpu', remote.worker.address, { token: 'literal-secret' }),
      specOf('gone', 'http://127.0.0.1:9'),
    ];
    const put = await notebook.request('PUT', '/workers', { workers });
    assert.ok(!put.text.includes('literal-secret'), put.text);
    const { configured_workers } = configuredWorkersBody.parse(put.json);
    // What was shown can be sent back.
    assert.equal((await notebook.request('PUT', '/workers', { workers: configured_workers })).status, 200);
    const list = workersBody.parse((await notebook.request('GET', '/workers')).json);
    assert.deepEqual(
      list.workers.map(({ name, source, health, transport, allowed }) => [name, source, health, transport, allowed]),
      [
        ['local', 'builtin', 'healthy', 'local', true],
        ['gpu', 'notebook', 'healthy', 'direct', true],
        ['gone', 'notebook', 'unavailable', 'direct', true],
        ['nobody', 'referenced', 'unknown', 'executor', false],
      ],
    );
  });

  it('refuses what is malformed', async () => {
    const notebook = await createTestNotebook(remote.server, 'Malformed');
    const put = async (...workers: object[]) => (await notebook.request('PUT', '/workers', { workers })).status;
    assert.deepEqual(
      [
        await put({ name: 'local' }),
        await put({ name: 'a b' }),
        await put(specOf('a', 'http://x', { transport: 'pigeon' })),
        await put(specOf('a', 'http://x'), specOf('a', 'http://x')),
      ],
      [400, 422, 400, 400],
    );
    const cell = await notebook.add('# @worker nobody\nx = 1');
    assert.match(String((await notebook.run(cell)).error), /no worker named nobody/);
  });

  it('has a default that cells follow, and that enters their keys', async () => {
    const notebook = await notebookWith('Default', specOf('gpu', remote.worker.address));
    const cell = await notebook.add('import os\nx = 1');
    await notebook.run(cell);
    assert.equal((await notebook.request('PUT', '/worker', { worker: 'gpu' })).status, 200);
    assert.notEqual((await notebook.cell(cell)).status, 'ready');
    assert.equal((await notebook.run(cell)).remote_worker, 'gpu');
    await notebook.request('PUT', '/worker', { worker: null });
    assert.equal((await notebook.run(cell)).cache_hit, true);
  });
});

describe('the registry of the server', () => {
  it('is edited by its operator and used by notebooks', async () => {
    await using managed = await startServer({
      env: { SVC_NOTEBOOK_WORKERS_EDITABLE: 'false', TEST_WORKER_TOKEN: workerToken },
    });
    const admin = (method: string, place: string, json?: unknown) =>
      managed.rest.send(method, `/v1/admin/notebook-workers${place}`, json === undefined ? {} : { json });
    const spec = specOf('pool', remote.worker.address, { token: 'literal-secret' });
    const added = await admin('POST', '', spec);
    assert.deepEqual([added.status, added.text.includes('literal-secret')], [200, false]);
    assert.deepEqual(
      [
        (await admin('POST', '', spec)).status,
        (await admin('PATCH', '/nobody', { enabled: true })).status,
        (await admin('DELETE', '/nobody')).status,
        (await admin('PUT', '', { workers: [spec, spec] })).status,
        (await admin('POST', '/reload')).status,
        (await admin('POST', '/pool/refresh')).status,
      ],
      [409, 404, 404, 400, 200, 200],
    );
    const notebook = await createTestNotebook(managed, 'Managed');
    assert.equal((await notebook.request('PUT', '/workers', { workers: [] })).status, 403);
    assert.equal((await notebook.request('PUT', '/worker', { worker: 'mine' })).status, 403);
    assert.equal((await notebook.request('PUT', '/worker', { worker: 'pool' })).status, 200);
    const cell = await notebook.add('x = 1\nx');
    assert.equal((await notebook.run(cell)).remote_worker, 'pool');
    await admin('PATCH', '/pool', { enabled: false });
    await notebook.edit(cell, 'x = 2\nx');
    assert.match(String((await notebook.run(cell)).error), /no worker named pool/);
  });
});
