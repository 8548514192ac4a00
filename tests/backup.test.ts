// `svc backup` and `svc restore`, as somebody uses them whose machine is lost: copied while a server edits and runs, put onto an
// empty machine, and everything that had run is found there.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { emptyHome } from './kit/emptyHome.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { cleanEnvironment, runSvc, startServer, type TestServer } from './kit/server.ts';

const program = fileURLToPath(new URL('../bin/svc.js', import.meta.url));

async function svc(home: string, ...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runSvc([...args, '--format', 'json'], { home });
  assert.equal(code, 0, `${stdout}${stderr}`);
  return JSON.parse(stdout);
}

/** Files below a folder with what they hold. */
const contentsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    fs
      .readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => [path.relative(folder, file), fs.readFileSync(file, 'latin1')]),
  );

const home = emptyHome();
const backups = path.join(emptyHome(), 'backups');
const settingsText = '[tool.svc]\nnotebook_keep_superseded_versions = 1\n';
let server: TestServer;
let settled: TestNotebook;
let busy: TestNotebook;
let busyCell: string;

before(async () => {
  fs.writeFileSync(path.join(home, 'pyproject.toml'), settingsText);
  server = await startServer({ home });
  for (const body of [
    { transform: { executor: 'base@v1' }, data: { a: [1, 2, 3] }, name: 'base' },
    { inputs: ['svc://name/base'], transform: { executor: 'sum@v1' }, data: { s: [6] }, name: 'total' },
  ])
    assert.equal((await server.rest.send('PUT', '/v1/artifacts', { json: body })).status, 200);
  settled = await createTestNotebook(server, 'Settled');
  fs.mkdirSync(path.join(settled.path, 'work'), { recursive: true });
  fs.writeFileSync(path.join(settled.path, 'work/prices.csv'), 'price\n1\n2\n');
  await settled.add('prices = open("prices.csv").read().split()[1:]');
  await settled.add('large = bytes(range(256)) * 1000');
  const last = await settled.add('total = sum(map(int, prices)) + len(large)\ntotal');
  assert.equal((await settled.run(last)).status, 'ready');
  // A run from the command line keeps what the last cell defines, too.
  await svc(home, 'run', settled.path);
  busy = await createTestNotebook(server, 'Busy');
  busyCell = await busy.add('numbers = bytes(100_000)');
  await busy.add('len(numbers)');
});
after(() => server[Symbol.asyncDispose]());

/** Edits and runs without a pause until it is told to stop; gives how often. */
async function load(stopped: AbortSignal): Promise<number> {
  for (let round = 1; ; round += 1) {
    if (stopped.aborted) return round - 1;
    await busy.edit(busyCell, `numbers = bytes(100_000 + ${round})`);
    const { cells } = await busy.state();
    await busy.run(String(cells.at(-1)?.id));
  }
}

describe('svc backup', () => {
  it('copies a server that works meanwhile; restored on an empty machine, everything that had run is found', async () => {
    const stopping = new AbortController();
    const working = load(stopping.signal);
    const made = [await svc(home, 'backup', backups), await svc(home, 'backup', backups)];
    stopping.abort();
    assert.ok((await working) > 0);
    assert.deepEqual(
      made.map(({ notebooks, stored, warnings }) => ({ notebooks, stored, warnings })),
      [1, 2].map(() => ({ notebooks: 2, stored: 2, warnings: [] })),
    );
    assert.deepEqual((await svc(home, 'backup', '--verify', backups)).damages, []);

    const elsewhere = emptyHome();
    const restored = await svc(elsewhere, 'restore', backups);
    assert.equal(restored.backup, made[1]?.backup);
    assert.equal(fs.readFileSync(path.join(elsewhere, 'pyproject.toml'), 'utf8'), settingsText);
    const notebooks = path.join(elsewhere, '.svc/notebooks');
    assert.deepEqual(fs.readdirSync(notebooks).sort(), ['busy', 'settled']);
    assert.deepEqual(contentsOf(path.join(notebooks, 'settled/cells')), contentsOf(path.join(settled.path, 'cells')));
    const { findings } = await svc(elsewhere, 'doctor', '--deep');
    assert.deepEqual(
      Object(findings).filter(({ code }: { code?: string }) => code !== undefined),
      [],
    );

    const ran = await runSvc(['run', path.join(notebooks, 'settled')], { home: elsewhere });
    assert.match(ran.stdout, /0 ran, 3 cached/, ran.stdout + ran.stderr);
    const shown = await svc(elsewhere, 'artifact', 'show', 'total');
    assert.deepEqual(shown, await svc(home, 'artifact', 'show', 'total'));
    assert.deepEqual((await svc(elsewhere, 'artifact', 'verify')).findings, []);
    // As at one moment: whichever it was, it runs.
    const busyRan = await runSvc(['run', path.join(notebooks, 'busy')], { home: elsewhere });
    assert.equal(busyRan.code, 0, busyRan.stdout + busyRan.stderr);
  });

  it('says what it could not copy, and why', async () => {
    const folder = emptyHome();
    fs.writeFileSync(path.join(folder, 'plain.txt'), 'x');
    fs.writeFileSync(Buffer.concat([Buffer.from(`${folder}/odd-`), Buffer.from([0xff])]), 'x');
    execFileSync('mkfifo', [path.join(folder, 'pipe')]);
    const made = await svc(home, 'backup', path.join(emptyHome(), 'b'), '--no-store', '--notebook-dir', folder);
    assert.deepEqual(made.warnings, [
      'odd-\uFFFD is not in the backup: its name is not UTF-8',
      'pipe is not in the backup: it is a pipe, a socket or a device',
    ]);
  });

  it('copies nothing that lies there already', async () => {
    await svc(home, 'backup', backups);
    const objects = contentsOf(path.join(backups, 'objects'));
    const again = await svc(home, 'backup', backups);
    assert.equal(again.bytes_written, 0);
    assert.deepEqual(Object.keys(contentsOf(path.join(backups, 'objects'))), Object.keys(objects));
  });

  it('is none when it was killed, and the next one takes up what was copied', async () => {
    const target = path.join(emptyHome(), 'killed');
    const [notebookDir, store] = [path.join(home, '.svc/notebooks'), path.join(home, '.svc/artifacts')];
    const large = path.join(notebookDir, 'large.bin');
    fs.writeFileSync(large, Buffer.alloc(512 * 2 ** 20, 7));
    const child = spawn(process.execPath, [program, 'backup', target], { cwd: home, env: cleanEnvironment(home) });
    const exited = once(child, 'exit');
    await written(path.join(target, 'incoming'));
    child.kill('SIGKILL');
    assert.deepEqual(await exited, [null, 'SIGKILL']);
    fs.rmSync(large);
    assert.deepEqual(fs.readdirSync(path.join(target, 'backups')), []);
    const nothing = await runSvc(['restore', target], { home: emptyHome() });
    assert.deepEqual([nothing.code, nothing.stderr], [2, `error: There is no whole backup in ${target}.\n`]);
    const { notebooks } = await svc(home, 'backup', target, '--notebook-dir', notebookDir, '--artifact-dir', store);
    assert.equal(notebooks, 2);
    assert.deepEqual(fs.readdirSync(target).sort(), ['backups', 'lock', 'objects']);
    assert.deepEqual((await svc(home, 'backup', '--verify', target)).damages, []);
  });

  it('tells which bytes of a backup are not what was written, and restores none of it', async () => {
    const target = path.join(emptyHome(), 'damaged');
    await svc(home, 'backup', target);
    const [manifest = ''] = fs.readdirSync(path.join(target, 'backups'));
    const { store } = JSON.parse(fs.readFileSync(path.join(target, 'backups', manifest), 'utf8'));
    const { sha256 } = store.blobs[0];
    const object = path.join(target, 'objects', sha256.slice(0, 2), sha256);
    const bytes = fs.readFileSync(object);
    fs.writeFileSync(
      object,
      bytes.map((byte) => byte ^ 1),
    );
    const { code, stdout } = await runSvc(['backup', '--verify', target, '--format', 'json'], { home });
    assert.equal(code, 1);
    assert.deepEqual(
      JSON.parse(stdout).damages.map(({ backup, what }: Record<string, string>) => [backup, what]),
      [[manifest, `the store: blobs/${store.blobs[0].name}`]],
    );
    const elsewhere = emptyHome();
    const refused = await runSvc(['restore', target], { home: elsewhere });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /is damaged; svc backup --verify tells what it is of/);
    assert.deepEqual(contentsOf(elsewhere), {});
  });

  it('writes over nothing, and into nothing that it copies', async () => {
    const before = contentsOf(path.join(home, '.svc/artifacts/blobs'));
    const refused = await runSvc(['restore', backups], { home });
    assert.deepEqual(
      [refused.code, refused.stderr],
      [
        2,
        `error: ${path.join(home, '.svc/notebooks')} is not empty, and nothing is written over; move it away, or name another folder.\n`,
      ],
    );
    assert.deepEqual(contentsOf(path.join(home, '.svc/artifacts/blobs')), before);
    const inside = await runSvc(['backup', path.join(home, '.svc/notebooks/copy')], { home });
    assert.deepEqual([inside.code, /which is to be copied; choose a place elsewhere/.test(inside.stderr)], [2, true]);
    const foreign = await runSvc(['backup', home], { home });
    assert.deepEqual([foreign.code, /which is of no backup; choose an empty folder/.test(foreign.stderr)], [2, true]);
  });

  it('says what to do where the metadata lies in PostgreSQL', async () => {
    const env = { SVC_ARTIFACT_METADATA_DSN: 'postgresql://nobody@127.0.0.1:1/none' };
    const { code, stderr } = await runSvc(['backup', path.join(emptyHome(), 'b')], { home, env });
    assert.deepEqual([code, /pg_dump --format=custom .* --no-store/.test(stderr)], [2, true]);
  });

  it('warns of bytes that are missing where they are copied from, and copies the rest', async () => {
    const damaged = emptyHome();
    await svc(damaged, 'restore', backups);
    const store = path.join(damaged, '.svc/artifacts');
    const database = new DatabaseSync(path.join(store, 'artifacts.sqlite'));
    const row = database
      .prepare(
        "SELECT v.* FROM artifact_versions v JOIN artifact_names n ON n.artifact_id = v.id WHERE n.name = 'base'",
      )
      .get();
    database.close();
    fs.rmSync(path.join(store, 'blobs', String(row?.blob_name)));
    const target = path.join(emptyHome(), 'warned');
    const made = await svc(damaged, 'backup', target);
    assert.deepEqual(
      [made.stored, made.warnings],
      [1, [`store: the bytes of ${row?.id}@v=${row?.version} are missing (svc doctor --deep)`]],
    );
    assert.deepEqual((await svc(damaged, 'backup', '--verify', target)).damages, []);
  });
});

/** Resolves when a file with more than a megabyte lies in a folder that somebody makes. */
async function written(folder: string): Promise<void> {
  await appears(path.dirname(path.dirname(folder)), path.basename(path.dirname(folder)));
  await appears(path.dirname(folder), path.basename(folder));
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (!fs.readdirSync(folder).some((name) => sizeOf(path.join(folder, name)) > 2 ** 20)) return;
      watch.close();
      resolve();
    };
    const watch = fs.watch(folder, look);
    look();
  });
}

const sizeOf = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;

function appears(folder: string, name: string): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!fs.existsSync(path.join(folder, name))) return;
      watch.close();
      resolve();
    };
    const watch = fs.watch(folder, look);
    look();
  });
}
