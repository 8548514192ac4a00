// What must not grow: what an edit is told with when the notebook is large, and what a reader costs that does not read.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { WebSocket } from 'ws';
import { createTestNotebook, openTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server[Symbol.asyncDispose]());

/** A notebook of that many cells of which only the first two have to do with each other, written as others write one. */
async function withCells(name: string, count: number): Promise<TestNotebook> {
  const empty = await createTestNotebook(server, name);
  await empty.request('POST', '/close');
  const numbers = Array.from({ length: count }, (_, at) => at);
  const source = (at: number): string => (at === 0 ? 'first = 1' : at === 1 ? 'first' : `alone_${at} = ${at}`);
  for (const at of numbers) fs.writeFileSync(`${empty.path}/cells/c${at}.py`, source(at));
  const entries = numbers.map((at) => `  { id = "c${at}", file = "c${at}.py", language = "python", order = ${at} },`);
  const file = `${empty.path}/notebook.toml`;
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('cells = []', `cells = [\n${entries.join('\n')}\n]`));
  return openTestNotebook(server, empty.path);
}

/** Which cells are told of when the first is edited, once it and its reader have run. */
async function toldOfEdit(notebook: TestNotebook): Promise<unknown[]> {
  await notebook.run('c1');
  const told = notebook.framesUntil(({ payload }) => payload.cell_id === 'c1' && payload.status === 'stale');
  await notebook.edit('c0', 'first = 2');
  // Whatever of the run comes late is of the same two cells.
  return [...new Set((await told).flatMap(({ payload }) => payload.cell_id ?? []))].sort();
}

it('an edit in a large notebook is told of the cells that it reaches, and no other', async () => {
  assert.deepEqual(await toldOfEdit(await withCells('Large', 300)), ['c0', 'c1']);
});

const memory = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${server.process.pid}/status`, 'utf8'))?.[1]) / 1024;

const skip = process.platform !== 'linux' && 'reads the memory of the server from /proc';

it('viewers that do not read hold up nobody, and cost a bounded memory', { skip }, async (t) => {
  const notebook = await createTestNotebook(server, 'Loud');
  const loud = await notebook.add('for number in range(2000):\n    print("x" * 10_000)');
  const stalled = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const socket = new WebSocket(`${server.address.replace('http', 'ws')}/v1/notebooks/ws/${notebook.sessionId}`);
      await new Promise((resolve) => socket.on('open', resolve));
      socket.pause();
      return socket;
    }),
  );
  assert.equal((await notebook.run(loud)).status, 'ready');
  const before = memory();
  for (let round = 0; round < 20; round++) {
    const told = notebook.framesUntil(({ type, payload }) => type === 'cell_status' && payload.status === 'ready');
    assert.equal((await notebook.run(loud, 'force')).status, 'ready');
    await told;
  }
  const grown = memory() - before;
  t.diagnostic(`grew by ${Math.round(grown)} MiB`);
  assert.ok(grown < 300, `400 MB were printed, three did not read, and the server grew by ${Math.round(grown)} MiB`);
  for (const socket of stalled) socket.terminate();
});

it('an open notebook keeps of each value only as many versions as it is told to', async () => {
  await using sparing = await startServer({ env: { SVC_NOTEBOOK_KEEP_SUPERSEDED_VERSIONS: '1' } });
  const notebook = await createTestNotebook(sparing, 'Sparing');
  const source = (at: number): string => `value = ${at}\nprint(value)`;
  const cell = await notebook.add(source(0));
  const reader = await notebook.add('value + 1');
  for (let at = 0; at < 6; at++) {
    await notebook.edit(cell, source(at));
    assert.equal((await notebook.run(reader)).display?.preview, at + 1);
  }
  const blobs = path.join(notebook.path, '.svc/artifacts/blobs');
  const versions = (id: string): string[] => fs.readdirSync(blobs).filter((name) => name.includes(`_cell_${id}_`));
  await changedUntil(blobs, () => versions(cell).length === 2 && versions(reader).length === 2);
  assert.deepEqual(
    versions(cell)
      .map((name) => /@v=\d+/.exec(name)?.[0])
      .sort(),
    ['@v=5', '@v=6'],
  );
  // The same result again and again: its newest two, and the one that an earlier result still stands for.
  for (let time = 0; time < 4; time++) await notebook.run(cell, 'force');
  await changedUntil(blobs, () => versions(cell).length === 3);
  await notebook.edit(cell, source(4));
  const kept = await notebook.run(cell);
  assert.deepEqual([kept.cache_hit, kept.stdout], [true, '4\n']);
  await notebook.edit(cell, source(1));
  const forgotten = await notebook.run(cell);
  assert.deepEqual([forgotten.cache_hit, forgotten.stdout], [false, '1\n']);
  assert.equal((await notebook.run(reader)).display?.preview, 2);
});

it('an open notebook lets go of variables, displays and files that its cells no longer give', async () => {
  await using sparing = await startServer({ env: { SVC_NOTEBOOK_KEEP_SUPERSEDED_VERSIONS: '1' } });
  const notebook = await createTestNotebook(sparing, 'Renaming');
  const cell = await notebook.add('pass');
  const reader = await notebook.add('pass');
  async function turn(at: number): Promise<void> {
    const files = `(folder / "same.txt").write_text("same")\n(folder / "own.txt").write_text("${at}")`;
    const shown = at === 0 ? 'for number in range(9):\n    display(number)' : '';
    await notebook.edit(cell, `# @output_dir folder\n${files}\nvalue_${at} = ${at}\n${shown}`);
    await notebook.edit(reader, `[value_${at}, sorted(one.read_text() for one in folder.iterdir())]`);
    assert.deepEqual((await notebook.run(reader)).display?.preview, [at, [String(at), 'same']]);
  }
  const blobs = path.join(notebook.path, '.svc/artifacts/blobs');
  const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
  const kept = (): string[] =>
    fs
      .readdirSync(blobs)
      .flatMap((name) => /_var_(value_\d+|__file__\w+|__display__\d)@/.exec(name)?.[1] ?? [])
      .filter((name) => name !== '__display__0')
      .sort();
  const ofTurns = (...turns: number[]): string[] =>
    [...turns.flatMap((at) => [`value_${at}`, `__file__${digest(String(at))}`]), `__file__${digest('same')}`].sort();
  for (let at = 0; at < 6; at++) await turn(at);
  await changedUntil(blobs, () => isDeepStrictEqual(kept(), ofTurns(4, 5)));
  // What comes back is stored again, under a number of its own.
  await turn(1);
  await changedUntil(blobs, () => isDeepStrictEqual(kept(), ofTurns(1, 5)));
  assert.deepEqual(
    fs.readdirSync(blobs).flatMap((name) => /value_1(@v=\d+)/.exec(name)?.[1] ?? []),
    ['@v=2'],
  );
  await notebook.request('POST', '/close');
  await openTestNotebook(sparing, notebook.path);
  assert.deepEqual(kept(), ofTurns(1, 5));
});

/** Resolves when what lies in a folder is as it should be, looked at whenever it changes. */
async function changedUntil(folder: string, isSo: () => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const watcher = fs.watch(folder, () => {
    if (isSo()) resolve();
  });
  if (isSo()) resolve();
  await promise;
  watcher.close();
}

it('a cell that makes a large value again takes no further room for it, and what it made before can go', async () => {
  const notebook = await createTestNotebook(server, 'Again');
  const maker = await notebook.add(
    'numbers = list(range(3))\nimport pyarrow\ntable = pyarrow.table({"n": range(400_000)})',
  );
  const reader = await notebook.add('table.num_rows');
  await notebook.run(reader);
  const files = (): fs.Stats[] => {
    const folder = path.join(notebook.path, '.svc/artifacts/blobs');
    return fs.readdirSync(folder).map((name) => fs.statSync(path.join(folder, name)));
  };
  const large = (): number[] => files().flatMap(({ size, ino }) => (size > 1_000_000 ? [ino] : []));
  assert.equal(large().length, 1);
  for (let round = 0; round < 8; round++) assert.equal((await notebook.run(maker, 'force')).status, 'ready');
  assert.equal(new Set(large()).size, 1, `${large().length} files`);
  assert.equal((await notebook.run(reader, 'force')).status, 'ready');
  await notebook.edit(maker, 'import pyarrow\ntable = pyarrow.table({"n": range(1, 400_001)})');
  assert.equal((await notebook.run(reader)).status, 'ready');
  assert.equal(new Set(large()).size, 2);
});
