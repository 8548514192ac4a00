// What the command line does beside running notebooks: files of outputs, pinned fetches, workers, completion, agents; and how
// every command speaks to a session of a server.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createTestNotebook } from './kit/notebook.ts';
import { freePort } from './kit/ports.ts';
import { cleanEnvironment, newHome, runSvc, startServer } from './kit/server.ts';

const program = fileURLToPath(new URL('../bin/svc.js', import.meta.url));
let home: string;
before(() => {
  home = newHome();
});
after(() => fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 }));

const svc = (...args: string[]) => runSvc(args, { home });

async function json(...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await svc(...args);
  assert.equal(code, 0, `${stdout}${stderr}`);
  return JSON.parse(stdout);
}

const newNotebook = async (name: string): Promise<string> =>
  String((await json('new', name, '--format', 'json')).notebook_dir);

describe('svc', () => {
  it('prints help for itself and for a group, and 0; refuses what it does not know with 2', async () => {
    const [whole, group] = [await svc(), await svc('cell')];
    assert.deepEqual([whole.code, whole.stderr, group.code, group.stderr], [0, '', 0, '']);
    assert.match(whole.stdout, /^Usage: svc /);
    assert.match(group.stdout, /^Usage: svc cell /);
    const unknown = await svc('cell', 'fly');
    assert.deepEqual([unknown.code, unknown.stdout], [2, '']);
    assert.match(unknown.stderr, /unknown command 'fly'/);
    const nowhere = await svc('cell', 'list');
    assert.deepEqual(nowhere, {
      code: 2,
      stdout: '',
      stderr: 'error: name a notebook directory, or --server with --session\n',
    });
  });

  it('completes in the shells that it knows', async () => {
    assert.deepEqual(await svc('completion', 'tcsh'), {
      code: 2,
      stdout: '',
      stderr: 'error: tcsh: one of bash, zsh, fish\n',
    });
  });
});

describe('svc on a directory', () => {
  it('writes what a cell shows to a file', async () => {
    const directory = await newNotebook('Shown');
    const { id } = await json('cell', 'add', directory, '-c', '{"a": 1}', '--run');
    const out = path.join(home, 'shown.json');
    const saved = await json('cell', 'output', directory, String(id), '--out', out);
    const bytes = fs.readFileSync(out);
    assert.deepEqual(saved, { cell_id: id, index: 0, path: out, content_type: 'json/object', bytes: bytes.length });
    assert.match(bytes.toString(), /"a"/);
    const missing = await svc('cell', 'output', directory, String(id), '--out', out, '--index', '7');
    assert.deepEqual([missing.code, Object.keys(JSON.parse(missing.stdout))], [1, ['error']]);
    const nowhere = await svc('cell', 'output', directory, String(id), '--out', path.join(home, 'no/where'));
    assert.deepEqual([nowhere.code, nowhere.stdout], [2, '']);
    assert.equal((await svc('cell', 'output', directory, String(id))).code, 2);
  });

  it('pins what was fetched', async (t) => {
    const source = http.createServer((_, answer) => answer.end('zone,1\n')).listen(0, '127.0.0.1');
    t.after(() => source.close());
    await once(source, 'listening');
    const url = `http://127.0.0.1:${Object(source.address()).port}/zones.csv`;
    const directory = await newNotebook('Fetching');
    const code = `# @fetch zones ${url}\nlen(open(zones).read())`;
    const { id, run } = await json('cell', 'add', directory, '-c', code, '--run');
    assert.equal(Object(run).status, 'ok');
    const pinned = await json('cell', 'pin-fetch', directory, String(id));
    const [pin] = Object(pinned.pinned);
    assert.deepEqual([pinned.cell, pin.name, pin.url, pin.sha256.length], [id, 'zones', url, 64]);
    const { source: after } = await json('cell', 'show', directory, String(id));
    assert.equal(String(after).split('\n')[0], `# @fetch zones ${url} sha256=${pin.sha256}`);
    const unknown = await svc('cell', 'pin-fetch', directory, String(id), 'other');
    assert.deepEqual(unknown, { code: 2, stdout: '', stderr: 'error: the cell fetches no other; there is zones\n' });
  });

  it('defines workers', async () => {
    const directory = await newNotebook('Working');
    const local = {
      name: 'local',
      backend: 'local',
      transport: 'local',
      url: null,
      runtime_id: null,
      token_env: null,
    };
    assert.deepEqual(await json('worker', 'ls', directory), {
      default: null,
      editable: true,
      workers: [{ ...local, is_default: true }],
    });
    const url = 'http://127.0.0.1:9000/v1/execute';
    const options = ['--url', url, '--token-env', 'WORKER_TOKEN', '--default'];
    const far = {
      name: 'far',
      backend: 'executor',
      transport: 'direct',
      url,
      runtime_id: null,
      token_env: 'WORKER_TOKEN',
    };
    assert.deepEqual(await json('worker', 'add', directory, 'far', ...options), {
      default: 'far',
      editable: true,
      workers: [
        { ...local, is_default: false },
        { ...far, is_default: true },
      ],
    });
    assert.equal((await json('worker', 'default', directory)).default, null);
    assert.deepEqual(await json('worker', 'rm', directory, 'far'), {
      default: null,
      editable: true,
      workers: [{ ...local, is_default: true }],
    });
    assert.equal((await svc('worker', 'rm', directory, 'far')).code, 1);
    assert.equal((await svc('worker', 'add', directory, 'far', '--url', 'nowhere')).code, 2);
  });
});

describe('svc new', () => {
  it('keeps a notebook that is there, adds what it lacks, and mounts the project around it', async () => {
    const parent = fs.mkdtempSync(path.join(home, 'project-'));
    const make = (...more: string[]) =>
      json('new', 'Twice', '--parent', parent, '--no-env', '--format', 'json', ...more);
    const directory = String((await make('--no-git')).notebook_dir);
    assert.deepEqual(fs.readdirSync(directory).sort(), ['cells', 'notebook.toml', 'pyproject.toml']);
    const before = fs.readFileSync(path.join(directory, 'notebook.toml'), 'utf8');
    await make();
    assert.equal(fs.readFileSync(path.join(directory, 'notebook.toml'), 'utf8'), before);
    fs.writeFileSync(path.join(directory, '.gitignore'), 'mine\n');
    await make('--project-mount');
    assert.equal(fs.readFileSync(path.join(directory, '.gitignore'), 'utf8'), 'mine\n');
    const after = fs.readFileSync(path.join(directory, 'notebook.toml'), 'utf8');
    assert.match(after, new RegExp(`name = "project"\\nuri = "file://${parent}"\\nmode = "ro"\\npin = `));
    assert.equal((await svc('new', 'Twice', '--parent', parent, '--project-mount', 'not a name')).code, 2);
  });
});

describe('svc validate and run', () => {
  it('look at a notebook without an environment, and do not make one when told not to', async () => {
    const made = await json('new', 'Bare', '--no-env', '--format', 'json');
    const directory = String(made.notebook_dir);
    const valid = await json('validate', directory, '--format', 'json');
    assert.deepEqual(valid, {
      notebook: directory,
      valid: true,
      errors: [],
      cells: [],
      summary: { cells: 0, errors: 0, warnings: 0 },
    });
    assert.equal(fs.existsSync(path.join(directory, '.venv')), false);
    const ran = await svc('run', directory, '--no-sync');
    assert.deepEqual([ran.code, /^error: the environment is not ready: /.test(ran.stderr)], [2, true]);
    fs.writeFileSync(path.join(directory, 'notebook.toml'), 'cells = [');
    const broken = await svc('validate', directory, '--format', 'json');
    const { valid: isValid, errors } = JSON.parse(broken.stdout);
    assert.deepEqual([broken.code, isValid, errors[0].code], [1, false, 'parse_failed']);
  });
});

describe('svc on a session', () => {
  it('takes the session in place of the directory', async () => {
    await using server = await startServer();
    const notebook = await createTestNotebook(server, 'Remote');
    const on = ['--server', server.address, '--session', notebook.sessionId];
    const { id } = await json('cell', 'add', ...on, '-c', 'x = 1\nx');
    assert.equal((await json('cell', 'run', ...on, String(id))).status, 'ok');
    assert.equal((await json('cell', 'show', ...on, String(id))).status, 'ready');
    assert.equal((await json('cell', 'show', ...on, '--var', 'x')).defined_in, id);
    const out = path.join(home, 'remote.json');
    assert.equal((await json('cell', 'output', ...on, String(id), '--out', out)).content_type, 'json/object');
    const idle = await svc('cell', 'cancel', ...on, String(id));
    assert.deepEqual([idle.code, JSON.parse(idle.stdout).cancelled], [1, false]);
    assert.deepEqual(await json('cell', 'rm', ...on, String(id)), { removed: id });
    assert.equal((await svc('cell', 'cancel', String(id))).code, 2);
  });
});

describe('svc agent', () => {
  it('makes a notebook and a server, tells the agent where they are, and takes its server away', async () => {
    const address = `http://127.0.0.1:${await freePort()}`;
    const place = path.join(home, 'for_agents');
    const child = spawn(process.execPath, [program, 'agent', place, '--no-env', '--no-tui', '--server', address], {
      cwd: home,
      env: cleanEnvironment(home),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    const exited = once(child, 'exit');
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (/start an agent with/.test(text)) resolve();
      });
      void exited.then(() => reject(new Error(`It ended before it was ready:\n${text}`)));
    });
    assert.match(text, /^notebook: .*for_agents\nserver: .* \(started here\)\nsession: \S+\n/);
    assert.deepEqual(JSON.parse(fs.readFileSync(path.join(place, '.mcp.json'), 'utf8')), {
      mcpServers: { 'svc-notebook': { type: 'http', url: `${address}/mcp/` } },
    });
    assert.match(
      fs.readFileSync(path.join(place, 'CLAUDE.md'), 'utf8'),
      /^<!-- svc:agent:start -->[\s\S]*agent:end -->\n$/,
    );
    assert.equal(fs.statSync(path.join(place, '.svc/server.log')).mode & 0o777, 0o600);
    assert.equal((await fetch(`${address}/health`)).status, 200);
    child.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null]);
    await assert.rejects(fetch(`${address}/health`));
  });
});
