// A disk that fills up under a real server: what cannot be written is refused in words, what was there stays, and all goes
// on once there is room again. The small disk is a file system of the server's own, which needs Linux and its namespaces.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { createTestNotebook, environmentReady, openTestNotebook } from './kit/notebook.ts';
import { newHome, startServer } from './kit/server.ts';

const ownMounts = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c'];
const mounted = (size: string) => [
  ...ownMounts,
  `mount -t tmpfs -o size=${size} tmpfs "$SMALL_DISK" && exec "$@"`,
  'sh',
];
const offered = (): boolean => {
  const home = newHome();
  const [command = '', ...args] = [...mounted('100k'), 'true'];
  const { status } = spawnSync(command, args, { env: { ...process.env, SMALL_DISK: home } });
  fs.rmdirSync(home);
  return status === 0;
};

const full = 'The storage of the server is full: this was not done. Free some space and try again.';

/** Takes the last byte of a disk. */
function fill(file: string): void {
  const handle = fs.openSync(file, 'w');
  const write = (size: number) => () => {
    for (;;) fs.writeSync(handle, Buffer.alloc(size));
  };
  for (const size of [65_536, 1]) assert.throws(write(size), { code: 'ENOSPC' });
  fs.closeSync(handle);
}

// Whether a machine allows it is no matter of what is installed.
const missing = !offered() && 'unshare cannot mount a file system of its own here';

it('a full disk is told, and costs nothing', { timeout: 120_000, skip: missing }, async (t) => {
  const home = newHome();
  t.after(() => fs.rmSync(home, { recursive: true, force: true }));
  const disk = path.join(home, 'disk');
  fs.mkdirSync(disk);
  await using server = await startServer({
    home,
    within: mounted('4m'),
    env: {
      SMALL_DISK: disk,
      SVC_NOTEBOOK_STORAGE_DIR: path.join(disk, 'notebooks'),
      SVC_ARTIFACT_DIR: path.join(disk, 'artifacts'),
      SVC_NOTEBOOK_ENV_BACKEND: 'shared',
      SVC_NOTEBOOK_SHARED_ENV_DIR: path.join(home, 'envs'),
    },
  });
  /** The disk as only the server sees it. */
  const seen = (place: string): string => path.join(`/proc/${server.process.pid}/root`, place);
  const notebook = await createTestNotebook(server, 'Full');
  const small = await notebook.add('x = 1');
  const large = await notebook.add('y = bytes(200_000)\nx');
  const reader = await notebook.add('len(y)');
  assert.equal((await notebook.run(reader)).status, 'ready');
  // Beside the empty folder that waits for the next run.
  const files = () =>
    fs
      .readdirSync(seen(path.join(disk, 'notebooks')), { recursive: true })
      .map(String)
      .filter((name) => !/\.svc\/runs\/[^/]+$/.test(name))
      .sort();
  const document = () => fs.readFileSync(seen(path.join(notebook.path, 'notebook.toml')), 'utf8');
  const before = { files: files(), document: document() };
  const filler = seen(path.join(disk, 'filler'));
  fill(filler);

  const edited = await notebook.edit(small, `x = 2 # ${'long '.repeat(5000)}`);
  assert.deepEqual([edited.status, edited.headers['retry-after'], edited.json], [503, '60', { detail: full }]);
  const created = await server.rest.post('/v1/notebooks/create', { json: { parent_path: '.', name: 'Second' } });
  assert.deepEqual([created.status, created.json], [503, { detail: full }]);
  const ran = await notebook.run(large, 'rerun');
  assert.deepEqual([ran.status, ran.error], ['error', `The cell could not be run to its end: ${full}`]);
  assert.deepEqual({ files: files(), document: document() }, before);
  assert.equal((await notebook.cell(small)).source, 'x = 1');

  // With some room a notebook is written and its session cannot start; with a little more it can.
  const create = () => server.rest.post('/v1/notebooks/create', { json: { parent_path: '.', name: 'Third' } });
  const added = () => files().filter((name) => !name.startsWith('full'));
  let room = 0;
  let third = await create();
  for (; third.status !== 200; third = await create()) {
    assert.deepEqual([third.status, third.json, added()], [503, { detail: full }, []]);
    room += 4096;
    fs.truncateSync(filler, fs.statSync(filler).size - 4096);
  }
  assert.ok(room > 5 * 4096, `enough room for the files of a notebook was not enough for its session, but ${room}`);

  fs.rmSync(filler);
  await environmentReady(await openTestNotebook(server, 'third'));
  assert.equal((await notebook.edit(small, 'x = 2')).status, 200);
  assert.equal((await notebook.run(reader)).status, 'ready');
  assert.equal(await notebook.statuses(), 'ready ready ready');
});
