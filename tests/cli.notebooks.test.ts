// Commands on notebooks as people and scripts call them: offline on a directory, through a server that has it open, and in CI.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import fsSync from 'node:fs';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { openTestNotebook } from './kit/notebook.ts';
import { cleanEnvironment, startServer } from './kit/server.ts';
import { until } from './kit/until.ts';

const program = fileURLToPath(new URL('../bin/svc.js', import.meta.url));
let folder: string;
before(async () => {
  folder = await fs.mkdtemp(path.join(os.tmpdir(), 'svc-cli-'));
});
after(() => fs.rm(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What it printed as JSON. */
  readonly json: Record<string, unknown>;
}

function svc(...args: string[]): Promise<Ended> {
  const env = { ...process.env, HOME: folder, SVC_NOTEBOOK_STORAGE_DIR: folder };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { cwd: folder, env, timeout: 300_000 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code ?? 1);
      resolve({ code, stdout, stderr, json: /^[[{]/.test(stdout) ? JSON.parse(stdout) : {} });
    });
  });
}

describe('svc on a directory', () => {
  it('creates, fills, runs, tests, changes and describes a notebook', async () => {
    const created = await svc('new', 'Sales', '--format', 'json');
    const directory = path.join(await fs.realpath(folder), 'sales');
    assert.deepEqual(created.json, { notebook_dir: directory, name: 'Sales', environment_initialized: true });
    const first = (await svc('cell', 'add', directory, '-c', 'rows = [1, 2, 3]', '--author', 'ada')).json;
    assert.deepEqual([first.status, first.created_by], ['idle', 'ada']);
    const second = (await svc('cell', 'add', directory, '-c', 'total = sum(rows)\ntotal', '--run')).json;
    assert.equal(Object(second.run).status, 'ok');
    assert.equal(Object(second.outputs)[0].preview, 6);
    const id = String(second.id);
    const tests = path.join(folder, 'tests.py');
    await fs.writeFile(tests, 'def test_total(cell): assert cell.total == 6\n');
    const tested = await svc('cell', 'test', directory, id, '--file', tests);
    assert.deepEqual([tested.code, tested.json.passed], [0, 1]);
    assert.equal(Object((await svc('cell', 'show', directory, '--var', 'total')).json).defined_in, id);
    const annotated = await svc('cell', 'annotate', directory, id, '--set', 'name=total of all', '--set', 'timeout=5');
    assert.equal(annotated.json.source, '# @name total of all\n# @timeout 5\ntotal = sum(rows)\ntotal');
    const moved = await svc('cell', 'mv', directory, id, '--to', '0');
    assert.deepEqual(
      Object.values(moved.json).map((cell) => Object(cell).id),
      [id, first.id],
    );
    await svc('cell', 'mv', directory, id, '--to', '1');
    assert.match((await svc('dag', directory, '--format', 'human')).stdout, /→ .* \(rows\)\ntopo: /);
    assert.match((await svc('status', directory, '--format', 'human')).stdout, /✓ \w+ {2}rows\n/);
    assert.equal((await svc('validate', directory)).code, 0);
    assert.deepEqual((await svc('cell', 'rm', directory, id)).json, { removed: id });
  });

  it('runs headless for machines: a report, JUnit, and an exit code', async () => {
    const { json } = await svc('new', 'Checked', '--format', 'json');
    const directory = String(json.notebook_dir);
    const good = (await svc('cell', 'add', directory, '-c', 'x = 1\nprint("hello")')).json.id;
    const bad = (await svc('cell', 'add', directory, '-c', 'y = x / 0')).json.id;
    const below = (await svc('cell', 'add', directory, '-c', 'z = y')).json.id;
    const report = path.join(folder, 'junit.xml');
    const ran = await svc('run', directory, '--format', 'json', '--junit', report);
    assert.equal(ran.code, 1);
    assert.deepEqual(
      Object(ran.json.cells).map(({ id, status, reason }: Record<string, string>) => [id, status, reason]),
      [
        [good, 'ok', undefined],
        [bad, 'error', undefined],
        [below, 'skipped', 'upstream failed'],
      ],
    );
    assert.equal(Object(ran.json.cells)[1].error, 'division by zero');
    assert.match(await fs.readFile(report, 'utf8'), /tests="3" failures="1" skipped="1"/);
    const again = await svc('run', directory);
    assert.match(again.stdout, /✓ cached\n[\s\S]*0 ran, 1 cached, 1 failed, 1 skipped in/);
  });

  it('stores what the last cells define when it runs headless, and lets go of what cannot be stored', async () => {
    const { json } = await svc('new', 'Leaves', '--format', 'json');
    const directory = String(json.notebook_dir);
    await svc(
      'cell',
      'add',
      directory,
      '-c',
      'import math, threading\ntotal = math.floor(3.7)\nlock = threading.Lock()',
    );
    const { code, json: report } = await svc('run', directory, '--format', 'json');
    const [cell] = Object(report.cells);
    assert.deepEqual(
      [code, cell.status, cell.outputs.map(({ name }: { name: string }) => name)],
      [0, 'ok', ['math', 'threading', 'total']],
    );
    assert.match((await svc('run', directory)).stdout, /0 ran, 1 cached/);
  });

  it('exports and imports', async () => {
    const { json } = await svc('new', 'Traveller', '--format', 'json');
    const directory = String(json.notebook_dir);
    await svc('cell', 'add', directory, '-c', 'answer = 42\nanswer');
    assert.equal((await svc('run', directory)).code, 0);
    assert.match((await svc('export', directory)).stdout, /# Notebook: Traveller[\s\S]*42/);
    const file = path.join(folder, 'traveller.snapshot.zip');
    assert.equal((await svc('export', directory, '--to', 'snapshot', '--include', 'all', '--out', file)).code, 0);
    assert.equal((await svc('export', directory, '--to', 'snapshot', '--out', file)).code, 2);
    const imported = await svc('import', file, '--out', path.join(folder, 'arrived'));
    assert.match(imported.stdout, /artifacts imported: 1\nreplaced id: /);
    assert.match((await svc('run', path.join(folder, 'arrived'))).stdout, /0 ran, 1 cached/);
    await fs.writeFile(
      path.join(folder, 'old.ipynb'),
      JSON.stringify({ cells: [{ cell_type: 'code', source: 'a = 1' }] }),
    );
    assert.match((await svc('import', path.join(folder, 'old.ipynb'))).stdout, /code cells: 1/);
  });

  it('says what was wrong, with the exit code for it', async () => {
    const nowhere = await svc('run', path.join(folder, 'nowhere'));
    assert.equal(nowhere.code, 2);
    assert.match(nowhere.stderr, /is not a notebook directory/);
    assert.equal((await svc('cell', 'list')).code, 2);
    assert.equal((await svc('cell', 'list', '--server', 'http://127.0.0.1:1')).code, 2);
    const { json } = await svc('new', 'Plain', '--no-env', '--format', 'json');
    const unknown = await svc('cell', 'show', String(json.notebook_dir), 'zz');
    assert.deepEqual([unknown.code, unknown.json], [1, { error: "no cell with id 'zz'" }]);
    assert.equal((await svc('doctor', '--format', 'json')).code, 0);
  });
});

describe('svc on a notebook that a server has open', () => {
  it('works through that server, so that both never write at once', async () => {
    const { json } = await svc('new', 'Shared', '--format', 'json');
    await using server = await startServer({ env: { SVC_NOTEBOOK_STORAGE_DIR: folder } });
    const notebook = await openTestNotebook(server, String(json.notebook_dir));
    const told = notebook.framesUntil(({ type }) => type === 'notebook_state');
    const added = await svc('cell', 'add', String(json.notebook_dir), '-c', 'seen = 1', '--run');
    await told;
    assert.equal(Object(added.json.run).status, 'ok');
    assert.equal((await notebook.cell(String(added.json.id))).status, 'ready');
    const direct = await svc('status', '--server', server.address, '--session', notebook.sessionId);
    assert.equal(direct.json.name, 'Shared');
  });

  it('reports a run as it would without the server, whatever ran before', async () => {
    const made = await svc('new', 'Reported', '--format', 'json');
    const directory = String(made.json.notebook_dir);
    const add = async (source: string): Promise<string> =>
      String((await svc('cell', 'add', directory, '-c', source)).json.id);
    const rows = await add('rows = [1, 2, 3]\nprint("read")');
    const total = await add('import sys\ntotal = sum(rows)\nprint("summed", file=sys.stderr)\ntotal');
    await add('rows.append(4)\nbroken = rows[9]');
    await add('print(broken)');
    const tests = path.join(folder, 'reported.py');
    await fs.writeFile(tests, 'def test_total(cell): assert cell.total == 6\ndef test_wrong(): assert 1 == 2\n');
    await svc('cell', 'test', directory, total, '--file', tests);
    const report = async (...more: string[]): Promise<object> => {
      const { json } = await svc('run', directory, '--format', 'json', ...more);
      const cells = Object(json.cells).map(({ duration_ms: _, ...cell }: Record<string, unknown>) => cell);
      return { notebook: json.notebook, success: json.success, cells };
    };
    await report();
    const [found, forced] = [await report(), await report('--force')];
    await using server = await startServer({ env: { SVC_NOTEBOOK_STORAGE_DIR: folder } });
    const notebook = await openTestNotebook(server, directory);
    // Runs count versions and have folders of their own.
    const withoutVersions = (value: object): unknown =>
      JSON.parse(
        JSON.stringify(value)
          .replace(/"version":\d+/g, '"version":0')
          .replace(/runs\/[\w-]+/g, 'runs/0'),
      );
    assert.deepEqual(withoutVersions(await report()), withoutVersions(found));
    assert.deepEqual(withoutVersions(await report('--force')), withoutVersions(forced));
    // What the page ran stores no values that nobody reads; the next report has them all the same.
    for (const id of [rows, total]) await notebook.run(id, 'rerun');
    assert.deepEqual(Object(await notebook.cell(total)).artifact_uris, {});
    const again = Object(withoutVersions(await report()));
    assert.deepEqual(again.cells[1].outputs, Object(withoutVersions(found)).cells[1].outputs);
    assert.deepEqual(
      again.cells.map(({ cache_hit }: { cache_hit: boolean }) => cache_hit),
      [true, false, false, false],
    );
    assert.deepEqual(withoutVersions(await report()), withoutVersions(found));
  });
});

describe('svc mcp', () => {
  it('serves an agent over stdin and stdout', async () => {
    const client = new Client({ name: 'tests', version: '1' });
    const env = { ...process.env, HOME: folder, SVC_NOTEBOOK_STORAGE_DIR: folder };
    const known = Object.fromEntries(
      Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [program, 'mcp'], env: known, cwd: folder }),
    );
    const created = await client.callTool({ name: 'create_notebook', arguments: { name: 'By stdio' } });
    const { session_id } = Object(created.structuredContent);
    const ran = await client.callTool({ name: 'run_snippet', arguments: { session_id, source: '6 * 7' } });
    assert.equal(Object(ran.structuredContent).outputs[0].preview, 42);
    const shown = { session_id, cell_id: Object(ran.structuredContent).id, variable: '__display__0' };
    const published = Object((await client.callTool({ name: 'publish', arguments: shown })).structuredContent);
    assert.deepEqual([published.token.length, published.copied], [43, 1]);
    const none = await client.callTool({ name: 'promote', arguments: { ...shown, name: 'answer' } });
    assert.match(
      String(Object(none.content)[0].text),
      /^Error executing tool promote: .*SVC_NOTEBOOK_REMOTE_STORE_URL/,
    );
    // A call that is taken back ends what runs for it.
    const status = async (): Promise<string> =>
      Object((await client.callTool({ name: 'status', arguments: { session_id } })).structuredContent).cells.at(-1)
        .status;
    const enough = new AbortController();
    const slow = client.callTool(
      { name: 'run_snippet', arguments: { session_id, source: 'import time\ntime.sleep(600)' } },
      { signal: enough.signal },
    );
    await until(async () => (await status()) === 'running', 'the cell runs');
    enough.abort('enough');
    await assert.rejects(slow, /enough/);
    await until(async () => (await status()) !== 'running', 'the cell has ended');
    await client.close();
  });
});

it('svc run ends with 1 when a cell failed, whether anybody reads or not', async () => {
  const { json } = await svc('new', 'Unread', '--format', 'json');
  await svc('cell', 'add', String(json.notebook_dir), '-c', '1 / 0');
  const env = { ...process.env, HOME: folder, SVC_NOTEBOOK_STORAGE_DIR: folder };
  const child = spawn(process.execPath, [program, 'run', String(json.notebook_dir)], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  child.stdout.once('data', () => child.stdout.destroy());
  assert.deepEqual(await once(child, 'exit'), [1, null]);
});

it('a command ends with the code for what was wrong, though nobody reads the reason', async () => {
  const child = spawn(process.execPath, [program, 'run', path.join(folder, 'nowhere')], {
    env: cleanEnvironment(folder),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.destroy();
  assert.deepEqual(await once(child, 'exit'), [2, null]);
});

const withFullDevice = fsSync.existsSync('/dev/full') ? false : 'Only Linux has a device that is always full.';
it('a command whose output finds no room says so', { skip: withFullDevice }, async () => {
  await using full = await fs.open('/dev/full', 'w');
  const child = spawn(process.execPath, [program, 'settings'], {
    env: cleanEnvironment(folder),
    stdio: ['ignore', full.fd, 'pipe'],
  });
  assert.ok(child.stderr);
  const [said, ended] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  assert.deepEqual(
    [said, ended],
    [
      'error: the output could not be written (ENOSPC: no space left on device, write); make room and try again\n',
      [1, null],
    ],
  );
});
