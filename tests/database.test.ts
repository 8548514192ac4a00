// One suite for both databases: what the metadata store promises, on real SQLite files and a real PostgreSQL.
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import {
  type Database,
  migrate,
  newestVersion,
  number,
  openMetadata,
  StoreTooNew,
  text,
} from '../src/database/index.ts';
import { createApiKeys } from '../src/identity/index.ts';
import { launchPostgres, postgresPrograms, startPostgres } from './kit/postgres.ts';
import { newHome } from './kit/server.ts';

interface Store extends AsyncDisposable {
  open(): Promise<Database>;
  /** Opens it in a process of its own; gives the schema versions that it then has. */
  openElsewhere(): Promise<unknown>;
}

async function openElsewhere(...args: string[]): Promise<unknown> {
  const program = path.join(import.meta.dirname, 'fixtures/openStore.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args]);
  return JSON.parse(stdout);
}

const stores: Record<string, (t: TestContext) => Promise<Store | undefined>> = {
  SQLite: async () => {
    const artifactDir = newHome();
    return {
      open: () => openMetadata({ artifactDir, dsn: undefined }),
      openElsewhere: () => openElsewhere(artifactDir),
      [Symbol.asyncDispose]: async () => fs.rmSync(artifactDir, { recursive: true, force: true }),
    };
  },
  PostgreSQL: async (t) => {
    const postgres = await startPostgres(t);
    return (
      postgres && {
        open: () => openMetadata({ artifactDir: '', dsn: postgres.dsn }),
        openElsewhere: () => openElsewhere('', postgres.dsn),
        [Symbol.asyncDispose]: () => postgres[Symbol.asyncDispose](),
      }
    );
  },
};

for (const [name, start] of Object.entries(stores)) {
  describe(`metadata on ${name}`, () => {
    it('keeps its promises', async (t) => {
      await using store = await start(t);
      if (!store) return;
      await t.test('migrates once, however many processes open it at the same time', async () => {
        const opened = await Promise.all([store.openElsewhere(), store.openElsewhere(), store.openElsewhere()]);
        const expected = Array.from({ length: newestVersion }, (_, index) => index + 1);
        assert.deepEqual(opened, [expected, expected, expected]);
      });

      const database = await store.open();
      t.after(() => database.close());
      const count = (of: Database = database) =>
        of.get('SELECT COUNT(*) AS n FROM things', [], (row) => number(row, 'n'));
      await database.run('CREATE TABLE things (id BIGINT PRIMARY KEY, word TEXT, weight DOUBLE PRECISION)');

      await t.test('reads back what was written, in order', async () => {
        await database.run('INSERT INTO things VALUES (?, ?, ?)', [1, 'ünï ☃ "quoted" ?', 1.5]);
        await database.run('INSERT INTO things VALUES (?, ?, ?)', [2 ** 40, '', -0.1]);
        const rows = await database.all('SELECT * FROM things ORDER BY id', [], (row) => [
          number(row, 'id'),
          text(row, 'word'),
          number(row, 'weight'),
        ]);
        assert.deepEqual(rows, [
          [1, 'ünï ☃ "quoted" ?', 1.5],
          [2 ** 40, '', -0.1],
        ]);
        assert.equal(await database.run('UPDATE things SET weight = 0 WHERE id = ?', [99]), 0);
      });

      await t.test('rolls a failed transaction back, and hides an open one', async () => {
        const before = await count();
        await assert.rejects(
          database.transaction(async (queries) => {
            await queries.run('INSERT INTO things VALUES (?, ?, ?)', [7, 'seven', 7]);
            assert.equal(await count(), before);
            throw new Error('changed my mind');
          }),
          /changed my mind/,
        );
        assert.equal(await count(), before);
      });

      await t.test('runs writers in turn', async () => {
        await database.run('INSERT INTO things VALUES (?, ?, ?)', [100, 'counter', 0]);
        const increment = () =>
          database.transaction(async (queries) => {
            const lock = database.dialect === 'postgresql' ? ' FOR UPDATE' : '';
            const value = await queries.get(`SELECT weight FROM things WHERE id = 100${lock}`, [], (row) =>
              number(row, 'weight'),
            );
            await queries.run('UPDATE things SET weight = ? WHERE id = 100', [(value ?? 0) + 1]);
          });
        await Promise.all(Array.from({ length: 50 }, increment));
        assert.equal(
          await database.get('SELECT weight FROM things WHERE id = 100', [], (row) => number(row, 'weight')),
          50,
        );
      });

      await t.test('refuses a store that is newer than the program', async () => {
        const later = await store.open();
        await later.run('INSERT INTO schema_version (version) VALUES (?)', [newestVersion + 1]);
        await assert.rejects(migrate(later), StoreTooNew);
        await assert.rejects(store.open(), /schema version \d+; this program knows up to \d+\. Start a newer version/);
        await later.run('DELETE FROM schema_version WHERE version = ?', [newestVersion + 1]);
        await later.close();
      });

      await t.test('verifies API keys until they end', async () => {
        let now = 1000;
        const keys = createApiKeys(database, () => now);
        const { key, record } = await keys.create({
          principal: 'ann',
          tenant: 't1',
          scopes: ['b', 'a', 'b'],
          expiresInDays: 1,
        });
        assert.deepEqual(await keys.verify(key), {
          authenticated: true,
          principal: 'ann',
          tenant: 't1',
          scopes: new Set(['a', 'b']),
        });
        assert.equal(await keys.verify(`${key}x`), undefined);
        now += 86_401;
        assert.equal(await keys.verify(key), undefined);
        now = 1000;
        const [listed] = await keys.list({ principal: 'ann' });
        assert.deepEqual(listed, { ...record, last_used_at: 1000 });
        assert.deepEqual(
          [await keys.revoke(record.key_id), await keys.revoke(record.key_id), await keys.verify(key)],
          [true, false, undefined],
        );
      });
    });
  });
}

describe('metadata on SQLite after a crash', () => {
  it('has every row that was answered for when the writer was killed', async () => {
    const artifactDir = newHome();
    const writer: ChildProcess = spawn(
      process.execPath,
      [path.join(import.meta.dirname, 'fixtures/writeForever.ts'), artifactDir],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let answered = 0;
    writer.stdout?.on('data', (chunk: Buffer) => {
      answered = Number(chunk.toString().trim().split('\n').at(-1));
      if (answered > 20) writer.kill('SIGKILL');
    });
    await once(writer, 'exit');
    const database = await openMetadata({ artifactDir, dsn: undefined });
    const stored = await database.get('SELECT COUNT(*) AS n FROM rows_written', [], (row) => number(row, 'n'));
    assert.ok((stored ?? 0) >= answered, `${answered} rows were answered for, ${stored} are there`);
    await database.close();
    fs.rmSync(artifactDir, { recursive: true, force: true });
  });
});

it('a PostgreSQL that is killed within a transaction costs that transaction, and nothing else', async (t) => {
  const programs = postgresPrograms();
  if (programs === undefined) return t.skip('PostgreSQL is not installed');
  await using postgres = await launchPostgres(programs);
  const database = await openMetadata({ artifactDir: '', dsn: postgres.dsn });
  t.after(() => database.close());
  await database.run('CREATE TABLE kept (id BIGINT PRIMARY KEY)');
  await database.run('INSERT INTO kept VALUES (1)');
  const unreachable = {
    kind: 'unavailable',
    message:
      'The database of the server cannot be reached, so that it is not known whether this was done. Try again shortly.',
  };
  const broken = database.transaction(async (queries) => {
    await queries.run('INSERT INTO kept VALUES (2)');
    await postgres.kill();
    await queries.run('INSERT INTO kept VALUES (3)');
  });
  await assert.rejects(broken, unreachable);
  await assert.rejects(database.run('INSERT INTO kept VALUES (4)'), unreachable);
  await assert.rejects(
    database.transaction((queries) => queries.run('INSERT INTO kept VALUES (5)')),
    unreachable,
  );
  await postgres.start();
  assert.deepEqual(await database.all('SELECT id FROM kept', [], (row) => number(row, 'id')), [1]);
});
