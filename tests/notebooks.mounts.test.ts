// Mounts of object stores, against servers that speak as S3, Google Cloud Storage and Azure do.
import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { createMountCache } from '../src/mounts/index.ts';
import { placeIn } from '../src/mounts/storageOptions.ts';
import { mountKinds, openStore, putObject, textOf } from './kit/mounts.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { bucket, startObjectStore } from './kit/objectStores.ts';
import { startServer } from './kit/server.ts';
import { addSql, setConnections, shown } from './kit/sql.ts';
import { until } from './kit/until.ts';

describe('a mount of an object store', () => {
  for (const kind of ['s3', 'gcs', 'azure'] as const)
    it(`is read from a copy, written back after success, and named by its content (${kind})`, async (t) => {
      const running = await startObjectStore(t, kind);
      if (!running) return;
      await using objects = running;
      const { scheme, options } = mountKinds[kind];
      const fields = options(objects.env);
      const place = placeIn(`${scheme}://${bucket}/data`);
      assert.ok(place);
      const store = await openStore(place, fields);
      await putObject(store, 'data/a.txt', 'one');
      await putObject(store, 'data/deep/b.txt', 'two');
      await putObject(store, 'database.txt', 'not of the mount');
      await using server = await startServer({ env: { SVC_NOTEBOOK_CREDENTIALS: JSON.stringify({ bucket: fields }) } });
      const notebook = await createTestNotebook(server, 'Mounts');
      const header = `# @mount raw ${scheme}://${bucket}/data`;
      const cell = await notebook.add(
        `${header} credential=bucket\nstr(sorted((str(p.relative_to(raw)), p.read_text()) for p in raw.rglob("*.txt")))`,
      );
      const read = async (): Promise<unknown> => {
        const { display, cache_hit, error } = await notebook.run(cell);
        return error ?? [display?.preview, cache_hit];
      };
      assert.deepEqual(await read(), ["[('a.txt', 'one'), ('deep/b.txt', 'two')]", false]);
      const uri = `${scheme}://${bucket}/data`;
      const far = { kind: 'mount', name: 'raw', uri, credential: 'bucket', bytes: 6 };
      assert.deepEqual((await notebook.cell(cell)).inputs, [{ ...far, cached_bytes: 0 }]);
      assert.deepEqual(await read(), ["[('a.txt', 'one'), ('deep/b.txt', 'two')]", true]);
      assert.deepEqual(
        notebook.socket.frames.filter(({ type }) => type === 'cell_inputs').map(({ payload }) => payload),
        [0, 6].map((cached_bytes) => ({ cell_id: cell, machine: 'local', inputs: [{ ...far, cached_bytes }] })),
      );
      await putObject(store, 'data/a.txt', 'changed');
      assert.deepEqual(await read(), ["[('a.txt', 'changed'), ('deep/b.txt', 'two')]", false]);

      const single = await notebook.add(`${header}/a.txt credential=bucket\nraw.read_text()`);
      assert.equal((await notebook.run(single)).display?.preview, 'changed');

      const writer = await notebook.add(
        `${header} rw credential=bucket\n(raw / "a.txt").write_text("by the cell")\n(raw / "new").mkdir()\n(raw / "new" / "c.txt").write_text("more")\n(raw / "deep" / "b.txt").unlink()`,
      );
      assert.equal((await notebook.run(writer)).error, null);
      assert.deepEqual(
        await Promise.all(['data/a.txt', 'data/new/c.txt', 'data/deep/b.txt'].map((name) => textOf(store, name))),
        ['by the cell', 'more', 'two'],
      );
      assert.equal((await notebook.run(writer)).cache_hit, false, 'what is written to is never served');
      await notebook.edit(writer, `${header} rw credential=bucket\n(raw / "a.txt").write_text("lost")\n1 / 0`);
      assert.match((await notebook.run(writer)).error ?? '', /ZeroDivisionError/);
      assert.equal(await textOf(store, 'data/a.txt'), 'by the cell');

      await notebook.edit(cell, `${header} credential=none\nraw`);
      assert.match((await notebook.run(cell)).error ?? '', /@mount raw: Credential 'none' is not defined/);

      await putObject(store, 'csv/x.csv', 'n\n1\n2\n');
      const mounts = [{ name: 'sheet', uri: `${scheme}://${bucket}/csv`, credential: 'bucket' }];
      assert.equal((await notebook.request('PUT', '/mounts', { mounts })).status, 200);
      await setConnections(notebook, [{ name: 'lake', driver: 'duckdb', path: ':memory:', mounts: ['sheet'] }]);
      const query = await addSql(notebook, '# @sql connection=lake\nSELECT sum(n)::BIGINT AS n FROM Sheet');
      assert.match(shown(await notebook.run(query)), /\| 3 \|$/);
      assert.equal((await notebook.run(query)).cache_hit, true);
      await putObject(store, 'csv/y.csv', 'n\n4\n');
      assert.match(shown(await notebook.run(query)), /\| 7 \|$/);
      store.close();
    });
});

describe('the cache of mounts', () => {
  it('keeps what was used lately, and lets the rest go when it grows too large', async () => {
    const root = await fs.mkdtemp(path.join(os.tmpdir(), 'svc-mounts-'));
    let now = Date.now();
    const cache = createMountCache(root, { maxBytes: 8, maxIdleDays: 0, now: () => now });
    const first = await cache.hold(viewOf('first'));
    assert.equal(((await fs.stat(path.join(first.folder, 'x/file'))).mode & 0o222) === 0, true);
    first.release();
    now += 60_000;
    const second = await cache.hold(viewOf('second'));
    await cache.sweep();
    assert.deepEqual(
      (await fs.readdir(path.join(root, 'views'))).sort(),
      ['first', 'second'],
      'both were used within the hour',
    );
    now += 2 * 3_600_000;
    await cache.sweep();
    assert.deepEqual(await fs.readdir(path.join(root, 'views')), ['second'], 'the older one goes; the other is held');
    second.release();
    await cache.sweep();
    assert.deepEqual(await fs.readdir(path.join(root, 'views')), ['second'], 'there is room for one');
  });

  it('keeps to its size as soon as something comes in', async () => {
    const root = await fs.mkdtemp(path.join(os.tmpdir(), 'svc-mounts-'));
    let now = Date.now();
    const cache = createMountCache(root, { maxBytes: 8, maxIdleDays: 0, now: () => now });
    (await cache.hold(viewOf('first'))).release();
    now += 2 * 3_600_000;
    (await cache.hold(viewOf('second'))).release();
    await cache.settled();
    const left = await fs.readdir(root, { recursive: true, withFileTypes: true });
    assert.deepEqual(
      left
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
        .sort(),
      ['objects/se/second-object', 'views/second/.lock', 'views/second/data/x/file'],
    );
  });

  it('gives what the store holds, whatever a cell did to what it was given', async () => {
    const root = await fs.mkdtemp(path.join(os.tmpdir(), 'svc-mounts-'));
    const cache = createMountCache(root, { maxBytes: 0, maxIdleDays: 0 });
    const read = async (key: string): Promise<unknown> => {
      const { folder, release } = await cache.hold(viewOf(key, 'shared'));
      release();
      return [await fs.readdir(folder, { recursive: true }), await fs.readFile(path.join(folder, 'x/file'), 'utf8')];
    };
    const whole = [['x', 'x/file'], 'bytes'];
    assert.deepEqual(await read('one'), whole);
    const file = path.join(root, 'views/one/data/x/file');
    await fs.chmod(file, 0o644);
    await fs.writeFile(file, 'BYTES');
    assert.deepEqual([await read('one'), await read('another')], [whole, whole]);
    await fs.chmod(path.dirname(file), 0o755);
    await fs.writeFile(path.join(path.dirname(file), 'planted'), 'more');
    assert.deepEqual(await read('one'), whole);
    await fs.chmod(path.dirname(file), 0o755);
    await fs.rm(file);
    assert.deepEqual(await read('one'), whole);
  });

  it('of a server leaves alone what a worker on the same folder holds, however long', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const root = await fs.mkdtemp(path.join(os.tmpdir(), 'svc-mounts-'));
    let now = Date.now();
    const [worker, server] = [1, 2].map(() => createMountCache(root, { maxBytes: 1, maxIdleDays: 0, now: () => now }));
    assert.ok(worker && server);
    const held = await worker.hold({
      key: 'view',
      files: [{ object: { name: 'a', size: 5, etag: 'e', mtime: '' }, path: 'file', objectKey: 'object' }],
      fetch: (_object, target) => fs.writeFile(target, 'bytes'),
    });
    const lock = path.join(root, 'views/view/.lock');
    now += 2 * 3_600_000;
    t.mock.timers.tick(20 * 60_000);
    await until(async () => (await fs.stat(lock)).mtimeMs >= now - 1000, 'the lock is renewed');
    await server.sweep();
    assert.equal(await fs.readFile(path.join(held.folder, 'file'), 'utf8'), 'bytes');
    held.release();
    now += 2 * 3_600_000;
    t.mock.timers.tick(20 * 60_000);
    await server.sweep();
    assert.deepEqual(await fs.readdir(path.join(root, 'views')), []);
  });
});

/** Of one file, which other views may share. */
const viewOf = (key: string, object = key) => ({
  key,
  files: [{ object: { name: key, size: 5, etag: 'e', mtime: '' }, path: 'x/file', objectKey: `${object}-object` }],
  fetch: (_object: unknown, target: string) => fs.writeFile(target, 'bytes'),
});
