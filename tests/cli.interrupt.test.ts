// Ctrl-C in the middle of every long command: no process stays, nothing half written stays, and the notebook is as it was.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment, newHome, runSvc } from './kit/server.ts';

const program = fileURLToPath(new URL('../bin/svc.js', import.meta.url));
const megabytes = 64;
let home: string;
/** A package index that takes requests and never answers. */
let index: http.Server;
let notebook: string;

const inHome = (...names: string[]): string => path.join(home, ...names);
const svc = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await runSvc(args, { home });
  assert.equal(code, 0, `${stdout}${stderr}`);
  return stdout;
};

before(async () => {
  home = fs.realpathSync(newHome());
  index = http.createServer(() => {}).listen(0, '127.0.0.1');
  await once(index, 'listening');
  notebook = JSON.parse(await svc('new', 'Large', '--format', 'json')).notebook_dir;
  await svc('cell', 'add', notebook, '-c', `import os\ndata = os.urandom(${megabytes} * 2**20)`);
  await svc('run', notebook);
  await svc('export', notebook, '--to', 'snapshot', '--include', 'all', '--out', inHome('large.zip'));
  const cell = { cell_type: 'code', source: 'import package_of_nobody' };
  fs.writeFileSync(inHome('wanting.ipynb'), JSON.stringify({ cells: [cell] }));
  await svc('new', 'Sleeping', '--format', 'json');
  fs.mkdirSync(inHome('sleeping/work'));
  await svc('cell', 'add', 'sleeping', '-c', 'import time\nopen("began", "w").close()\ntime.sleep(600)');
});
after(() => {
  index.closeAllConnections();
  index.close();
  fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

/** Resolves when a file or folder of such a name is there. */
function appears(folder: string, name: RegExp): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!fs.readdirSync(folder).some((one) => name.test(one))) return;
      watch.close();
      resolve();
    };
    const watch = fs.watch(folder, look);
    look();
  });
}

const indexAsked = async (): Promise<void> => void (await once(index, 'request'));

/** Processes that work in our home, or were started for something in it. */
const processesOfHome = (): string[] =>
  fs.readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      return `${fs.readlinkSync(`/proc/${pid}/cwd`)} ${fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8')}`.includes(home);
    } catch {
      return false;
    }
  });

/** Everything but what programs keep for themselves. */
const filesOf = (folder: string): string[] =>
  fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/(^|\/)(\.venv|\.svc|\.cache|\.local|__pycache__|work)(\/|$)/.test(name))
    .sort();

describe('Ctrl-C', () => {
  const cases: { args: string[]; began: () => Promise<void>; leaves?: string[] }[] = [
    { args: ['run', 'sleeping'], began: () => appears(inHome('sleeping/work'), /^began$/) },
    { args: ['run', 'wanting'], began: indexAsked },
    { args: ['dep', 'add', 'sleeping', 'package-of-nobody'], began: indexAsked },
    { args: ['import', 'wanting.ipynb', '--out', 'checked', '--check-deps'], began: indexAsked, leaves: ['checked'] },
    { args: ['import', 'large.zip', '--out', 'arrived'], began: () => appears(home, /^\.arrived\./) },
    {
      args: ['export', 'large', '--to', 'snapshot', '--include', 'all', '--out', 'again.zip'],
      began: () => appears(home, /^again\.zip\.part$/),
    },
    { args: ['backup', 'cut', '--notebook-dir', 'large'], began: () => appears(home, /^cut$/), leaves: ['cut'] },
    {
      args: ['restore', 'copied', '--notebook-dir', 'put-back'],
      began: () => appears(home, /^put-back\.restoring-/),
    },
  ];
  before(async () => {
    await svc('import', 'wanting.ipynb');
    await svc('backup', 'copied', '--notebook-dir', 'large');
  });

  for (const { args, began, leaves = [] } of cases) {
    it(`in svc ${args.join(' ')}`, async () => {
      const files = filesOf(home);
      const address = `http://127.0.0.1:${Object(index.address()).port}/simple`;
      const child = spawn(process.execPath, [program, ...args], {
        cwd: home,
        env: cleanEnvironment(home, { UV_DEFAULT_INDEX: address, UV_INDEX_URL: address, UV_NO_CACHE: '1' }),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const exited = once(child, 'exit');
      await Promise.race([began(), exited]);
      child.kill('SIGINT');
      assert.deepEqual(await exited, [130, null]);
      assert.deepEqual(processesOfHome(), []);
      const isNew = (name: string): boolean => !files.includes(name) && !leaves.some((one) => name.startsWith(one));
      assert.deepEqual(filesOf(home).filter(isNew), []);
    });
  }

  it('leaves no backup where one was cut short', async () => {
    const { code, stderr } = await runSvc(['backup', '--verify', 'cut'], { home });
    assert.deepEqual([code, stderr], [2, 'error: there is no whole backup in cut\n']);
    assert.deepEqual(fs.existsSync(inHome('cut/incoming')), false);
  });

  it('leaves every notebook whole', async () => {
    for (const name of ['sleeping', 'large', 'wanting', 'checked']) await svc('validate', name);
    assert.match(await svc('status', 'sleeping', '--format', 'human'), /^○ /);
  });
});
