// Environments of notebooks as their users see them: jobs that can be watched and cancelled, changes that are whole or not
// there at all, refusals while something runs, and the cells that a change makes stale.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  acceptedJobBody,
  dependencyChangeBody,
  environmentBody,
  environmentChangeBody,
  environmentJob,
  importBody,
  type NotebookState,
  notebookState,
  previewBody,
  sessionsBody,
  unchangedPythonBody,
} from '../src/protocol/index.ts';
import { connectAgent } from './kit/mcp.ts';
import { createTestNotebook, environmentReady, openTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { type PackageIndex, startPackageIndex } from './kit/packageIndex.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { asserted, proxyEnvironment } from './kit/service.ts';
import type { Frame } from './kit/socket.ts';
import { untilGiven } from './kit/until.ts';

let index: PackageIndex;
let server: TestServer;
before(async () => {
  index = await startPackageIndex({
    tinyone: { '1.0': [], '2.0': [] },
    tinytwo: { '1.0': ['tinyone<2'] },
    slow: { '1.0': [] },
    waiting: { '1.0': [] },
  });
  server = await startServer({ env: { ...index.env, SVC_MCP_ENABLED: 'true' } });
});
after(async () => {
  await server[Symbol.asyncDispose]();
  await index[Symbol.asyncDispose]();
});

const finished = ({ type }: Frame): boolean => type === 'environment_job_finished';
/** Other frames may have come with the last one. */
const jobOf = (frames: readonly Frame[]) => environmentJob.parse(frames.find(finished)?.payload.environment_job);
const projectOf = ({ path: place }: TestNotebook): string[] =>
  ['pyproject.toml', 'uv.lock'].map((file) => fs.readFileSync(path.join(place, file), 'utf8'));

describe('a new notebook', () => {
  it('answers before its environment is there, tells of the job, and then says all about it', async () => {
    const answer = await server.rest.post('/v1/notebooks/create', { json: { parent_path: '.', name: 'Fresh' } });
    const { environment, environment_job } = Object(answer.json);
    assert.deepEqual(
      [environment.sync_state, environment.venv_python, environment.interpreter_source, environment.python_version],
      ['pending', null, 'unknown', ''],
    );
    assert.deepEqual(
      [environment_job.action, environment_job.status, environment_job.phase],
      ['sync', 'running', 'uv_running'],
    );
    const notebook = await openTestNotebook(server, Object(answer.json).path);
    await environmentReady(notebook);
    const body = environmentBody.parse((await notebook.request('GET', '/environment')).json);
    const minor = body.environment.requested_python_version;
    assert.match(body.environment.runtime_python_version, new RegExp(`^${minor.replace('.', '\\.')}\\.\\d+$`));
    const { lockfile_hash, last_synced_at, last_sync_duration_ms, runtime_python_version, ...rest } = body.environment;
    assert.match(lockfile_hash, /^[0-9a-f]{64}$/);
    assert.ok((last_synced_at ?? 0) > 0 && (last_sync_duration_ms ?? 0) > 0);
    assert.deepEqual(rest, {
      requested_python_version: minor,
      python_version: runtime_python_version,
      package_count: 3,
      declared_package_count: 3,
      resolved_package_count: 4,
      sync_state: 'ready',
      sync_error: null,
      sync_notice: null,
      has_lockfile: true,
      venv_python: path.join(notebook.path, '.venv/bin/python'),
      interpreter_source: 'venv',
    });
    assert.deepEqual(body.dependencies, [
      { name: 'pyarrow', version: null, specifier: '>=18.0.0' },
      { name: 'orjson', version: null, specifier: '>=3.10.0' },
      { name: 'cloudpickle', version: null, specifier: '>=3.0.0' },
    ]);
    assert.deepEqual(
      body.resolved_dependencies.map(({ name }) => name),
      ['cloudpickle', 'fresh', 'orjson', 'pyarrow'],
    );
    assert.deepEqual(
      body.environment_job_history.map(({ action, status }) => [action, status]),
      [['sync', 'completed']],
    );
  });
});

describe('adding and removing a package', () => {
  it('is told phase by phase, makes cells stale, and taking it back makes their old results current again', async () => {
    const notebook = await createTestNotebook(server, 'Packages');
    const cell = await notebook.add('try:\n    import tinyone\nexcept ImportError:\n    x = 1');
    await notebook.run(cell);
    const frames = notebook.framesUntil(finished);
    const added = await notebook.request('POST', '/dependencies', { package: 'tinyone' });
    assert.equal(added.status, 200, added.text);
    const body = dependencyChangeBody.parse(added.json);
    assert.deepEqual(
      {
        lockfile_changed: body.lockfile_changed,
        stale: body.stale_cell_ids,
        count: body.stale_cell_count,
        command: body.operation_log.command,
        declared: body.dependencies.at(-1),
        resolved: body.resolved_dependencies.find(({ name }) => name === 'tinyone'),
      },
      {
        lockfile_changed: true,
        stale: [cell],
        count: 1,
        command: 'uv add tinyone',
        declared: { name: 'tinyone', version: null, specifier: '>=2.0' },
        resolved: { name: 'tinyone', version: '2.0', specifier: null },
      },
    );
    assert.match(body.operation_log.stderr, /\+ tinyone==2\.0/);
    const phases = (await frames)
      .filter(({ type }) => type.startsWith('environment_job_'))
      .map(({ payload }) => environmentJob.parse(payload.environment_job).phase);
    assert.deepEqual(
      phases.filter((phase, at) => phase !== phases[at - 1]),
      [
        'uv_running',
        'refreshing_runtime',
        'invalidating_warm_pool',
        'recomputing_staleness',
        'starting_warm_pool',
        'completed',
      ],
    );
    const record = await notebook.cell(cell);
    assert.deepEqual(
      [record.status, record.causality],
      ['idle', { reason: 'env', details: [{ type: 'env_changed', package: 'notebook env' }] }],
    );
    const using = await notebook.add('import tinyone\ny = tinyone.VERSION');
    assert.equal((await notebook.run(using)).status, 'ready');

    const removed = await notebook.request('DELETE', '/dependencies/tinyone');
    assert.equal(removed.status, 200, removed.text);
    assert.equal((await notebook.cell(cell)).status, 'ready');
    assert.match((await notebook.run(using, 'rerun')).error ?? '', /No module named 'tinyone'/);
  });

  it('works over the socket', async () => {
    const notebook = await createTestNotebook(server, 'Frames');
    const added = notebook.framesUntil(finished);
    notebook.socket.send('dependency_add', { package: 'tinyone<2' });
    const job = jobOf(await added);
    assert.deepEqual([job.action, job.package, job.status], ['add', 'tinyone<2', 'completed']);
    const removed = notebook.framesUntil(finished);
    notebook.socket.send('dependency_remove', { package: 'tinyone' });
    assert.equal(jobOf(await removed).status, 'completed');
    for (const [type, payload] of [
      ['dependency_add', { package: '--index-url=http://evil.test' }],
      ['dependency_remove', { package: '../etc' }],
      ['dependency_add', {}],
    ] as const) {
      const answer = notebook.framesUntil((frame) => frame.type === 'error');
      notebook.socket.send(type, payload);
      assert.match(
        String((await answer).find(({ type: told }) => told === 'error')?.payload.error),
        /requirement|name of a package|Missing 'package' in payload/,
      );
    }
  });
});

describe('a notebook that is called like a package', () => {
  it('may have that package, and what needs it', async () => {
    const notebook = await createTestNotebook(server, 'TinyOne');
    const before = environmentBody.parse((await notebook.request('GET', '/environment')).json).environment;
    assert.equal((await notebook.request('POST', '/dependencies', { package: 'tinytwo' })).status, 200);
    assert.equal((await notebook.request('POST', '/dependencies', { package: 'tinyone>=1' })).status, 200);
    assert.match(projectOf(notebook)[0] ?? '', /^name = "tinyone-notebook"$/m);
    const job = environmentBody.parse((await notebook.request('GET', '/environment')).json).environment_job;
    assert.equal(job?.command, "uv add 'tinyone>=1'");
    for (const name of ['tinyone', 'tinytwo']) await notebook.request('DELETE', `/dependencies/${name}`);
    const after = environmentBody.parse((await notebook.request('GET', '/environment')).json).environment;
    assert.equal(after.lockfile_hash, before.lockfile_hash);
  });
});

describe('the index of the operator', () => {
  it('serves a notebook that never learns its address or its password', async () => {
    const secret = 'word-of-the-operator';
    const address = (index.env.UV_INDEX ?? '').replace('//', `//operator:${secret}@`);
    await using own = await startServer({ env: { UV_INDEX: `corporate=${address}` } });
    const notebook = await createTestNotebook(own, 'Behind a Registry');
    const before = projectOf(notebook)[0];
    const added = await notebook.request('POST', '/dependencies', { package: 'tinyone' });
    assert.equal(added.status, 200, added.text);
    const [project = '', lock = ''] = projectOf(notebook);
    assert.equal(project.replace('    "tinyone>=2.0",\n', ''), before);
    assert.deepEqual([lock.includes('name = "tinyone"'), lock.includes(secret)], [true, false]);
    assert.ok(!added.text.includes(secret));
  });
});

describe('a package that is named by its address', () => {
  it('is added as it is written, and listed with it', async () => {
    const notebook = await createTestNotebook(server, 'Address');
    const address = `${index.env.UV_INDEX}/tinyone/tinyone-1.0-py3-none-any.whl`;
    const added = await notebook.request('POST', '/dependencies', { package: `tinyone @ ${address}` });
    assert.equal(added.status, 200, added.text);
    const { dependencies } = dependencyChangeBody.parse(added.json);
    assert.deepEqual(dependencies.at(-1), { name: 'tinyone', version: null, specifier: `@ ${address}` });
    const { text } = await notebook.request('GET', '/environment/requirements.txt');
    assert.equal(text.trim().split('\n').at(-1), `tinyone @ ${address}`);
    assert.equal((await notebook.run(await notebook.add('import tinyone; tinyone.VERSION'))).status, 'ready');
    assert.equal((await notebook.request('DELETE', '/dependencies/tinyone')).status, 200);
    const imported = await notebook.request('POST', '/environment/requirements.txt', {
      requirements: `tinyone @ ${address}`,
    });
    assert.deepEqual([imported.status, /names an address/.test(imported.text)], [400, true]);
  });

  it('is refused on a shared server, which asks only its index', async () => {
    await using shared = await startServer({
      env: proxyEnvironment,
    });
    const headers = asserted({ principal: 'ada', scopes: 'notebook:read notebook:write notebook:execute' });
    const created = await shared.rest.post('/v1/notebooks/create', { headers, json: { parent_path: '.', name: 'N' } });
    assert.equal(created.status, 200, created.text);
    const { session_id } = notebookState.parse(created.json);
    const answer = await shared.rest.post(`/v1/notebooks/${session_id}/dependencies`, {
      headers,
      json: { package: 'tinyone @ https://host.test/tinyone-1.0-py3-none-any.whl' },
    });
    assert.deepEqual([answer.status, /from its index only/.test(answer.text)], [400, true], answer.text);
  });

  it('is not asked by a shared server when the files of an imported notebook name it', async () => {
    const asked: unknown[] = [];
    const inner = http.createServer(({ url }, response) => {
      asked.push(url);
      response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => inner.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(inner.address() as AddressInfo).port}`;
    await using shared = await startServer({ env: { ...proxyEnvironment, ...index.env } });
    const headers = asserted({ principal: 'ada', scopes: 'notebook:read notebook:write notebook:execute' });
    const json = { parent_path: '.', name: 'Sent' };
    const made = notebookState.parse((await shared.rest.post('/v1/notebooks/create', { headers, json })).json);
    const endOf = ({ session_id: id }: { session_id: string }) =>
      untilGiven(async () => {
        const answer = await shared.rest.get(`/v1/notebooks/${id}/environment`, { headers });
        const { environment_job } = environmentBody.parse(answer.json);
        return environment_job?.status === 'running' ? undefined : (environment_job?.error ?? 'it went well');
      }, 'the environment is made');
    assert.equal(await endOf(made), 'it went well');
    const [project, lock] = ['pyproject.toml', 'uv.lock'].map((name) => path.join(made.path, name));
    const lockText = fs.readFileSync(String(lock), 'utf8');
    fs.writeFileSync(String(lock), lockText.replaceAll(/(?<=url = ")https?:\/\/[^/"]+/g, address));
    const projectText = fs.readFileSync(String(project), 'utf8');
    const outcomes: unknown[] = [];
    for (const more of [
      `[[tool.uv.index]]\nurl = "${address}/simple"\n`,
      `[tool.uv]\nfind-links = ["${address}"]\n`,
      '',
    ]) {
      fs.writeFileSync(String(project), projectText.replace('[tool.uv]\n', more));
      const snapshot = await fetch(`${shared.address}/v1/notebooks/${made.session_id}/export?fmt=snapshot`, {
        headers,
      });
      const form = new FormData();
      form.set('file', await snapshot.blob(), 'x.snapshot.zip');
      form.set('name', `Arrived ${outcomes.length}`);
      const answer = await fetch(`${shared.address}/v1/notebooks/import-snapshot`, {
        method: 'POST',
        headers,
        body: form,
      });
      const arrived = notebookState.parse(await answer.json());
      const outcome = await endOf(arrived);
      const arrivedLock = path.join(arrived.path, 'uv.lock');
      const names = fs.existsSync(arrivedLock) && fs.readFileSync(arrivedLock, 'utf8').includes(address);
      outcomes.push([outcome.split(': ')[0], names]);
    }
    inner.close();
    const refused = (what: string): string => `pyproject.toml says where packages come from (${what} under [tool.uv])`;
    assert.deepEqual(
      [outcomes, asked],
      [
        [
          [refused('index'), false],
          [refused('find-links'), false],
          ['it went well', false],
        ],
        [],
      ],
    );
  });
});

describe('what cannot be added', () => {
  it('leaves the project as it was, byte for byte, and says what the resolver said', async () => {
    const notebook = await createTestNotebook(server, 'Refused');
    const before = projectOf(notebook);
    const refused = [
      '--index-url=http://evil.test',
      '-r requirements.txt',
      'six\nrequests',
      '../wheel.whl',
      '/etc/passwd',
      'git+https://x.test/y',
      'six @ file:///etc/passwd',
      'six requests',
      "six'; rm -rf /",
      '',
      'a'.repeat(201),
    ];
    for (const name of refused) {
      const answer = await notebook.request('POST', '/dependencies', { package: name });
      assert.equal(answer.status, 422, `${name}: ${answer.text}`);
    }
    const removals = ['%2D%2Dall', '..%2Fx', 'a%0Ab'];
    for (const name of removals)
      assert.equal((await notebook.request('DELETE', `/dependencies/${name}`)).status, 400, name);
    assert.match((await notebook.request('DELETE', '/dependencies/PyArrow')).text, /needed to run cells/);
    const unknown = await notebook.request('POST', '/dependencies', { package: 'no-such-package-in-any-index' });
    assert.equal(unknown.status, 400);
    assert.match(Object(unknown.json).detail.message, /uv add failed: .*not found in the package registry/s);
    assert.match(Object(unknown.json).detail.message, /Check how the package is spelled/);
    assert.doesNotMatch(Object(unknown.json).detail.message, /--frozen/);
    assert.equal(Object(unknown.json).detail.operation_log.command, 'uv add no-such-package-in-any-index');
    const conflict = await notebook.request('POST', '/dependencies', { package: 'tinyone==9' });
    assert.match(Object(conflict.json).detail.message, /tinyone/);
    assert.equal((await notebook.request('DELETE', '/dependencies/tinyone')).status, 400);
    assert.deepEqual(projectOf(notebook), before);
    const { environment } = environmentBody.parse((await notebook.request('GET', '/environment')).json);
    assert.deepEqual([environment.sync_state, environment.sync_notice !== null], ['ready', true]);
    assert.equal((await notebook.run(await notebook.add('1 + 1'))).status, 'ready');
  });

  it('jobs that ask for too much or too little are refused', async () => {
    const notebook = await createTestNotebook(server, 'Odd jobs');
    const cases: [body: object, status: number][] = [
      [{ action: 'add' }, 400],
      [{ action: 'add', package: 'x', requirements: 'y' }, 400],
      [{ action: 'sync', package: 'x' }, 400],
      [{ action: 'import' }, 400],
      [{ action: 'import', requirements: 'a', environment_yaml: 'b' }, 400],
      [{ action: 'import', requirements: '-e .' }, 400],
      [{ action: 'change_python' }, 400],
      [{ action: 'r_init', package: 'x' }, 400],
      [{ action: 'r_add' }, 400],
      [{ action: 'explode' }, 422],
      [{ action: 'import', requirements: 'x'.repeat(500_001) }, 422],
    ];
    for (const [body, status] of cases) {
      const answer = await notebook.request('POST', '/environment/jobs', body);
      assert.equal(answer.status, status, `${JSON.stringify(body).slice(0, 80)}: ${answer.text}`);
    }
  });
});

describe('while a job runs', () => {
  it('everything that would disturb it is refused, and it can be cancelled', async () => {
    const notebook = await createTestNotebook(server, 'Busy');
    const cell = await notebook.add('1');
    const { default_python_version: current } = Object((await server.rest.get('/v1/notebooks/config')).json);
    const before = projectOf(notebook);
    const { asked, release } = index.hold('waiting');
    const started = await notebook.request('POST', '/environment/jobs', { action: 'add', package: 'waiting' });
    assert.equal(started.status, 202);
    const { accepted, environment_job } = acceptedJobBody.parse(started.json);
    assert.deepEqual([accepted, environment_job?.status], [true, 'running']);
    await asked;
    const busy: [method: string, place: string, body?: object][] = [
      ['POST', '/environment/jobs', { action: 'sync' }],
      ['POST', '/environment/sync'],
      // Even for the version that it has: which one that is in the end, the job decides.
      ['PUT', '/python-version', { python_version: current }],
      ['POST', '/dependencies', { package: 'tinyone' }],
      ['DELETE', '/dependencies/tinyone'],
      ['POST', '/environment/requirements.txt', { requirements: 'tinyone' }],
      ['POST', '/environment/environment.yaml', { environment_yaml: 'dependencies: [tinyone]' }],
      ['POST', `/cells/${cell}/execute`],
      ['POST', '/close'],
      ['DELETE', ''],
    ];
    for (const [method, place, body] of busy) {
      const answer = await notebook.request(method, place, body);
      assert.equal(answer.status, 409, `${method} ${place}: ${answer.text}`);
      const { code, environment_job: job } = Object(answer.json).detail;
      assert.deepEqual([code, job.id], ['ENVIRONMENT_BUSY', environment_job?.id]);
    }
    for (const [type, payload] of [
      ['cell_execute', { cell_id: cell }],
      ['notebook_run_all', {}],
      ['dependency_add', { package: 'tinyone' }],
    ] as const) {
      const refused = notebook.framesUntil((frame) => frame.type === 'error');
      notebook.socket.send(type, payload);
      assert.equal((await refused).find((frame) => frame.type === 'error')?.payload.code, 'ENVIRONMENT_BUSY');
    }
    // Reading and editing go on.
    assert.equal((await notebook.edit(cell, '2')).status, 200);
    const told = notebook.framesUntil(finished);
    const cancelled = await notebook.request('DELETE', '/environment/jobs/current');
    assert.equal(Object(cancelled.json).cancelled, true);
    const job = jobOf(await told);
    assert.deepEqual(
      [job.status, job.error],
      ['failed', 'Cancelled before it finished; the environment is as it was.'],
    );
    release();
    assert.deepEqual(projectOf(notebook), before);
    assert.equal((await notebook.run(cell)).status, 'ready');
  });

  it('a cell that runs keeps jobs away', async () => {
    const notebook = await createTestNotebook(server, 'Cell runs');
    const cell = await notebook.add('import time; print("on", flush=True); time.sleep(60)');
    const running = notebook.framesUntil(({ type }) => type === 'cell_console');
    notebook.socket.send('cell_execute', { cell_id: cell });
    await running;
    const answer = await notebook.request('POST', '/environment/sync');
    assert.equal(answer.status, 409);
    assert.match(Object(answer.json).detail.message, /Notebook execution is currently running/);
    await notebook.request('POST', `/cells/${cell}/cancel`);
  });
});

describe('runs at the edge of a job', () => {
  it('are refused or belong to the environment that they ran in', async () => {
    const notebook = await createTestNotebook(server, 'Edge');
    assert.equal((await notebook.request('POST', '/dependencies', { package: 'tinyone==1.0' })).status, 200);
    const cell = await notebook.add('import tinyone\nprint(tinyone.VERSION)');
    for (const version of ['2.0', '1.0', '2.0', '1.0']) {
      const changed = notebook.framesUntil(finished);
      await notebook.request('POST', '/environment/jobs', { action: 'add', package: `tinyone==${version}` });
      let isOver = false;
      void changed.then(() => {
        isOver = true;
      });
      // Knocks without a pause until the job lets a run through.
      let answer = await notebook.request('POST', `/cells/${cell}/execute?mode=rerun`);
      while (answer.status === 409 || !isOver)
        answer = await notebook.request('POST', `/cells/${cell}/execute?mode=rerun`);
      assert.equal(Object(answer.json).stdout, `${version}\n`);
      const served = await notebook.run(cell);
      assert.deepEqual([served.cache_hit, (await notebook.cell(cell)).console_stdout], [true, `${version}\n`]);
    }
  });
});

describe('lists of packages', () => {
  it('are previewed, imported whole or not at all, and exported', async () => {
    const notebook = await createTestNotebook(server, 'Lists');
    const text = '# mine\ntinyone==1.0  # old\n\npyarrow>=18.0.0\n';
    const preview = previewBody.parse(
      (await notebook.request('POST', '/environment/requirements.txt/preview', { requirements: text })).json,
    );
    const dep = (name: string, specifier: string | null) => ({ name, version: null, specifier });
    assert.deepEqual(
      [preview.normalized_requirements, preview.additions, preview.removals, preview.unchanged],
      [
        ['tinyone==1.0', 'pyarrow>=18.0.0', 'orjson>=3.10.0', 'cloudpickle>=3.0.0'],
        [dep('tinyone', '==1.0')],
        [],
        [dep('cloudpickle', '>=3.0.0'), dep('orjson', '>=3.10.0'), dep('pyarrow', '>=18.0.0')],
      ],
    );
    const imported = await notebook.request('POST', '/environment/requirements.txt', { requirements: text });
    assert.equal(imported.status, 200, imported.text);
    assert.deepEqual(importBody.parse(imported.json).imported_count, 4);
    const exported = await notebook.request('GET', '/environment/requirements.txt');
    assert.equal(exported.text, 'tinyone==1.0\npyarrow>=18.0.0\norjson>=3.10.0\ncloudpickle>=3.0.0\n');
    assert.match(exported.headers['content-disposition'] ?? '', /Lists-requirements\.txt/);

    const before = projectOf(notebook);
    const impossible = await notebook.request('POST', '/environment/requirements.txt', {
      requirements: 'tinytwo\ntinyone==2.0',
    });
    assert.equal(impossible.status, 400);
    assert.match(Object(impossible.json).detail.message, /tinytwo/);
    assert.deepEqual(projectOf(notebook), before);

    const yaml =
      'name: x\nchannels: [conda-forge]\ndependencies:\n  - python=3.12\n  - conda-forge::tinyone=2.0\n  - numpy=1.0=py_0\n  - pip\n  - pip: ["tinytwo; x"]\n';
    assert.equal(
      (await notebook.request('POST', '/environment/environment.yaml/preview', { environment_yaml: yaml })).status,
      400,
    );
    const job = notebook.framesUntil(finished);
    const accepted = await notebook.request('POST', '/environment/jobs', {
      action: 'import',
      environment_yaml: yaml.replace('"tinytwo; x"', ''),
    });
    assert.equal(accepted.status, 202, accepted.text);
    const payload = Object((await job).find(finished)?.payload);
    assert.equal(payload.imported_count, 4);
    assert.equal(Object(payload.warnings).length, 5);
  });
});

describe('the version of Python', () => {
  it('is changed with everything that follows from it, or taken back', async (t) => {
    const notebook = await createTestNotebook(server, 'Versions');
    const { available_python_versions: offered, default_python_version: now } = Object(
      (await server.rest.get('/v1/notebooks/config')).json,
    );
    const cell = await notebook.add('import sys\nv = sys.version_info[:2]');
    await notebook.run(cell);
    const same = await notebook.request('PUT', '/python-version', { python_version: now });
    assert.equal(same.status, 200);
    assert.equal(unchangedPythonBody.parse(same.json).reason, 'already_at_requested_version');
    assert.equal((await notebook.request('PUT', '/python-version', { python_version: '3.2' })).status, 400);
    assert.equal((await notebook.request('PUT', '/python-version', { python_version: 'v3' })).status, 422);
    const other = offered.find((version: string) => version !== now);
    if (other === undefined) return t.skip('one Python only');
    const job = notebook.framesUntil(finished);
    assert.equal((await notebook.request('PUT', '/python-version', { python_version: other })).status, 202);
    const done = jobOf(await job);
    assert.deepEqual(
      [done.action, done.status, done.lockfile_changed, done.stale_cell_ids],
      ['change_python', 'completed', true, [cell]],
    );
    const { environment } = environmentBody.parse((await notebook.request('GET', '/environment')).json);
    assert.deepEqual(
      [environment.requested_python_version, environment.python_version.startsWith(`${other}.`)],
      [other, true],
    );

    // A version that the project's packages do not allow: everything goes back, the environment included.
    const file = path.join(notebook.path, 'pyproject.toml');
    fs.writeFileSync(
      file,
      fs.readFileSync(file, 'utf8').replace('[tool.uv]', `[tool.uv]\nenvironments = ["python_version == '${other}'"]`),
    );
    assert.equal((await notebook.request('POST', '/environment/sync')).status, 200);
    const before = projectOf(notebook);
    const failing = notebook.framesUntil(finished);
    assert.equal((await notebook.request('PUT', '/python-version', { python_version: now })).status, 202);
    const failed = jobOf(await failing);
    assert.equal(failed.status, 'failed', failed.stderr);
    assert.deepEqual(projectOf(notebook), before);
    assert.equal((await notebook.run(cell)).status, 'ready');
  });
});

describe('a notebook that is opened again', () => {
  it('gets its environment from whoever opens it, also after somebody who only read it', async () => {
    const { path: place, sessionId } = await createTestNotebook(server, 'Read first');
    await server.rest.post(`/v1/notebooks/${sessionId}/close`);
    fs.rmSync(path.join(place, '.venv'), { recursive: true });
    const stateOf = ({ environment, environment_job_history }: NotebookState) => [
      environment.sync_state,
      environment_job_history.length,
    ];
    const read = await server.rest.get(`/v1/notebooks/read?${new URLSearchParams({ path: place })}`);
    assert.deepEqual(stateOf(notebookState.parse(read.json)), ['failed', 1]);
    const notebook = await openTestNotebook(server, place);
    await environmentReady(notebook);
    assert.deepEqual(stateOf(await notebook.state()), ['ready', 2]);
  });

  it('needs no job while its files are as the last one left them, and has one when they are not', async () => {
    const { path: place, sessionId } = await createTestNotebook(server, 'Again');
    const close = (id: string) => server.rest.post(`/v1/notebooks/${id}/close`);
    await close(sessionId);
    const again = await openTestNotebook(server, place);
    const known = environmentBody.parse((await again.request('GET', '/environment')).json);
    assert.deepEqual([known.environment.sync_state, known.environment_job_history.length], ['ready', 1]);
    assert.equal((await again.run(await again.add('import pyarrow; 1'))).status, 'ready');
    await close(again.sessionId);
    const file = path.join(place, 'pyproject.toml');
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"pyarrow', '"tinyone",\n    "pyarrow'));
    const edited = await openTestNotebook(server, place);
    const synced = environmentBody.parse((await edited.request('GET', '/environment')).json);
    assert.deepEqual([synced.environment.sync_state, synced.environment_job_history.length], ['ready', 2]);
    assert.equal((await edited.run(await edited.add('import tinyone; 2'))).status, 'ready');
  });
});

describe('a lock that somebody else changed and that cannot be installed', () => {
  it('leaves cells with the environment that is there, and their results under its name', async () => {
    const notebook = await createTestNotebook(server, 'Pulled');
    assert.equal((await notebook.request('POST', '/dependencies', { package: 'tinyone==2.0' })).status, 200);
    const cell = await notebook.add('import tinyone\nprint(tinyone.VERSION)');
    await notebook.run(cell);
    const hash = async () => environmentBody.parse((await notebook.request('GET', '/environment')).json).environment;
    const before = (await hash()).lockfile_hash;
    const files = ['pyproject.toml', 'uv.lock'].map((file) => path.join(notebook.path, file));
    const texts = files.map((file) => fs.readFileSync(file, 'utf8'));
    const pulled = (text: string): string =>
      text.replace(/tinyone==2\.0|tinyone-2\.0/g, (one) => one.replace('2', '7'));
    for (const [at, file] of files.entries())
      fs.writeFileSync(
        file,
        pulled(texts[at] ?? '')
          .replace('name = "tinyone"\nversion = "2.0"', 'name = "tinyone"\nversion = "7.0"')
          .replaceAll('"==2.0"', '"==7.0"'),
      );
    const synced = environmentChangeBody.parse((await notebook.request('POST', '/environment/sync')).json);
    assert.deepEqual([synced.environment.sync_state, synced.environment.lockfile_hash], ['ready', before]);
    assert.match(synced.environment.sync_error ?? '', /tinyone/);
    const run = await notebook.run(cell, 'rerun');
    assert.deepEqual([run.status, run.stdout], ['ready', '2.0\n']);
    for (const [at, file] of files.entries()) fs.writeFileSync(file, texts[at] ?? '');
    assert.equal((await notebook.request('POST', '/environment/sync')).status, 200);
    assert.deepEqual([(await hash()).lockfile_hash, (await notebook.cell(cell)).status], [before, 'ready']);
  });
});

describe('a notebook that is closed while somebody waits for its environment', () => {
  it('is opened afresh for whoever waits', async () => {
    const { path: place, sessionId } = await createTestNotebook(server, 'Closed meanwhile');
    await server.rest.post(`/v1/notebooks/${sessionId}/close`);
    const file = path.join(place, 'pyproject.toml');
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"pyarrow', '"waiting",\n    "pyarrow'));
    const { asked, release } = index.hold('waiting');
    const opening = openTestNotebook(server, place);
    await asked;
    await using agent = await connectAgent(server.address);
    const { sessions } = await server.rest.read(sessionsBody, '/v1/notebooks/sessions');
    const first = sessions.find((session) => session.path === place)?.session_id;
    await agent.call('close_notebook', { session_id: first });
    release();
    const opened = await opening;
    assert.notEqual(opened.sessionId, first);
    assert.equal((await opened.run(await opened.add('import waiting; waiting.VERSION'))).display?.preview, '1.0');
  });
});

describe('a notebook that is held still', () => {
  it('is opened as it is, and jobs are refused until it is released', async () => {
    const { path: place, sessionId } = await createTestNotebook(server, 'Held');
    await server.rest.post(`/v1/notebooks/${sessionId}/close`);
    const file = path.join(place, 'pyproject.toml');
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"pyarrow', '"tinyone",\n    "pyarrow'));
    const name = path.basename(place);
    assert.equal((await server.rest.post(`/v1/projects/${name}/quiesce`, { json: {} })).status, 200);
    const before = fs.readFileSync(path.join(place, 'uv.lock'), 'utf8');
    const notebook = await openTestNotebook(server, place);
    const { environment } = environmentBody.parse((await notebook.request('GET', '/environment')).json);
    assert.equal(environment.sync_state, 'ready');
    assert.match(environment.sync_error ?? '', /held still/);
    const refused = await notebook.request('POST', '/environment/sync');
    assert.deepEqual([refused.status, Object(refused.json).detail.code], [409, 'NOTEBOOK_QUIESCED']);
    assert.equal(fs.readFileSync(path.join(place, 'uv.lock'), 'utf8'), before);
    assert.equal((await server.rest.post(`/v1/projects/${name}/release`, { json: {} })).status, 200);
    const synced = await notebook.request('POST', '/environment/sync');
    assert.equal(environmentChangeBody.parse(synced.json).environment.sync_error, null);
  });
});

describe('a notebook whose environment cannot be made', () => {
  it('can be opened, read and edited, and says why cells do not run', async () => {
    const { path: place, sessionId } = await createTestNotebook(server, 'Missing');
    await server.rest.post(`/v1/notebooks/${sessionId}/close`);
    fs.rmSync(path.join(place, '.venv'), { recursive: true });
    const file = path.join(place, 'pyproject.toml');
    const good = fs.readFileSync(file, 'utf8');
    fs.writeFileSync(file, good.replace(/requires-python = .*/, 'requires-python = "==3.99.*"'));
    const notebook = await openTestNotebook(server, place);
    const { environment } = environmentBody.parse((await notebook.request('GET', '/environment')).json);
    assert.equal(environment.sync_state, 'failed');
    assert.match(environment.sync_error ?? '', /No Python for requires-python "==3\.99\.\*"/);
    const cell = await notebook.add('1');
    const run = await notebook.request('POST', `/cells/${cell}/execute`);
    assert.equal(run.status, 409);
    assert.match(Object(run.json).detail.message, /not ready/);
    fs.writeFileSync(file, good);
    const synced = environmentChangeBody.parse((await notebook.request('POST', '/environment/sync')).json);
    assert.equal(synced.environment.sync_state, 'ready');
    assert.equal((await notebook.run(cell)).status, 'ready');
  });

  it('a project file that is gone or broken is named, and nothing is made in its place', async () => {
    const notebook = await createTestNotebook(server, 'No project');
    const file = path.join(notebook.path, 'pyproject.toml');
    const good = fs.readFileSync(file, 'utf8');
    const cell = await notebook.add('1');
    fs.rmSync(file);
    for (const [place, body] of [
      ['/dependencies', { package: 'tinyone' }],
      ['/environment/requirements.txt', { requirements: 'tinyone' }],
    ] as const) {
      const { message } = Object((await notebook.request('POST', place, body)).json).detail;
      assert.match(message, /^pyproject\.toml is missing from the notebook's folder: put it back/);
    }
    assert.equal(fs.existsSync(file), false);
    fs.mkdirSync(file);
    const folder = await notebook.request('POST', '/dependencies', { package: 'tinyone' });
    assert.match(Object(folder.json).detail.message, /^pyproject\.toml is a folder: move it away/);
    fs.rmdirSync(file);
    fs.writeFileSync(file, '[project');
    const refused = await notebook.request('POST', '/dependencies', { package: 'tinyone' });
    assert.match(Object(refused.json).detail.message, /^pyproject\.toml cannot be read: Invalid TOML/);
    assert.equal((await notebook.run(cell)).status, 'ready');
    fs.writeFileSync(file, good);
    assert.equal((await notebook.request('POST', '/dependencies', { package: 'tinyone' })).status, 200);
  });

  it('a lock that was cut in half and an environment half made are repaired by a sync', async () => {
    const notebook = await createTestNotebook(server, 'Halved');
    const lock = path.join(notebook.path, 'uv.lock');
    fs.truncateSync(lock, 700);
    fs.rmSync(path.join(notebook.path, '.venv/pyvenv.cfg'));
    const synced = environmentChangeBody.parse((await notebook.request('POST', '/environment/sync')).json);
    assert.deepEqual([synced.environment.sync_state, synced.environment.sync_error], ['ready', null]);
    assert.equal((await notebook.run(await notebook.add('import pyarrow'))).status, 'ready');
  });
});
