// A disk that fills up under a real server: what cannot be written is refused in words, what was there stays, and all goes
// on once there is room again. The small disk is a file system of the server's own, which needs Linux and its namespaces.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { createTestNotebook, environmentReady, openTestNotebook } from './kit/notebook.ts';
import { newHome, startServer, type TestServer } from './kit/server.ts';

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

interface SmallDisk extends AsyncDisposable {
  readonly server: TestServer;
  readonly disk: string;
  /** A place on the disk, as only the server sees it. */
  seen(place: string): string;
  /** Takes what room there is. */
  fill(): void;
  /** Gives some of it back, or all. */
  free(bytes?: number): void;
}

async function onSmallDisk(): Promise<SmallDisk> {
  const home = newHome();
  const disk = path.join(home, 'disk');
  fs.mkdirSync(disk);
  const server = await startServer({
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
  const seen = (place: string): string => path.join(`/proc/${server.process.pid}/root`, place);
  const filler = seen(path.join(disk, 'filler'));
  return {
    server,
    disk,
    seen,
    fill: () => fill(filler),
    free(bytes) {
      if (bytes === undefined) fs.rmSync(filler);
      else fs.truncateSync(filler, fs.statSync(filler).size - bytes);
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      fs.rmSync(home, { recursive: true, force: true });
    },
  };
}

it('a full disk is told, and costs nothing', { skip: missing }, async () => {
  await using limited = await onSmallDisk();
  const { server, disk, seen } = limited;
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
  limited.fill();

  const edited = await notebook.edit(small, `x = 2 # ${'long '.repeat(5000)}`);
  assert.deepEqual([edited.status, edited.headers['retry-after'], edited.json], [503, '60', { detail: full }]);
  const created = await server.rest.post('/v1/notebooks/create', { json: { parent_path: '.', name: 'Second' } });
  assert.deepEqual([created.status, created.json], [503, { detail: full }]);
  const uploaded = await server.rest.send('PUT', `/v1/notebooks/${notebook.sessionId}/files/data.csv`, {
    body: Buffer.alloc(100_000),
  });
  assert.deepEqual([uploaded.status, uploaded.json], [503, { detail: full }]);
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
    limited.free(4096);
  }
  assert.ok(room > 5 * 4096, `enough room for the files of a notebook was not enough for its session, but ${room}`);

  limited.free();
  await environmentReady(await openTestNotebook(server, 'third'));
  assert.equal((await notebook.edit(small, 'x = 2')).status, 200);
  assert.equal((await notebook.run(reader)).status, 'ready');
  assert.equal(await notebook.statuses(), 'ready ready ready');
});

it('a cell goes and comes back whole, or stays as it is', { skip: missing }, async () => {
  await using limited = await onSmallDisk();
  const { server, disk, seen } = limited;
  const notebook = await createTestNotebook(server, 'Back');
  // The result needs more room than the document.
  const cell = await notebook.add('print("x" * 200_000)\ny = 1\ny');
  await notebook.run(cell);
  const document = () => fs.readFileSync(seen(path.join(disk, 'notebooks/back/notebook.toml')), 'utf8');
  const sources = () => fs.readdirSync(seen(path.join(disk, 'notebooks/back/cells')));
  const asItIs = async () => ({ document: document(), sources: sources(), state: (await notebook.state()).cells });

  async function assertNotDone(method: 'DELETE' | 'POST', route: string): Promise<void> {
    const before = await asItIs();
    const { status, json } = await notebook.request(method, route);
    assert.deepEqual([status, json, await asItIs()], [503, { detail: full }, before]);
  }
  limited.fill();
  await assertNotDone('DELETE', `/cells/${cell}`);
  // Room for the document, not for what else is written.
  limited.free(4096);
  const warnings = ['The results of the deleted cell could not be removed and are still stored.'];
  const removed = await notebook.request('DELETE', `/cells/${cell}`);
  assert.deepEqual([removed.status, Object(removed.json).warnings], [200, warnings]);
  assert.ok(server.output().includes(String(warnings)));
  limited.free();
  assert.equal((await notebook.request('POST', `/cells/${cell}/restore`)).status, 200);
  assert.equal(Object((await notebook.request('DELETE', `/cells/${cell}`)).json).warnings, undefined);

  limited.fill();
  await assertNotDone('POST', `/cells/${cell}/restore`);
  limited.free(16_384);
  await assertNotDone('POST', `/cells/${cell}/restore`);
  limited.free(1_000_000);
  assert.equal((await notebook.request('POST', `/cells/${cell}/restore`)).status, 200);
  limited.free();
  await notebook.request('POST', '/close');
  const again = await openTestNotebook(server, notebook.path);
  const { status, console_stdout } = await again.cell(cell);
  assert.deepEqual([status, console_stdout?.length], ['ready', 200_001]);
});
