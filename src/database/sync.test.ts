import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openSqlite } from './sqlite.ts';
import { syncOf } from './sync.ts';

it('a log that could not be opened once is opened by the next commit', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-sync-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const log = path.join(folder, 'log');
  const sync = syncOf(log);
  await assert.rejects(sync(), { code: 'ENOENT' });
  fs.writeFileSync(log, 'committed');
  await sync();
  await sync.close();
});

it('a sync that failed after its commit was answered refuses the next commit, and the store goes on', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-sync-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'store.sqlite');
  const database = openSqlite(file, { answered: 'committed' });
  // Its writer holds the log from here on; the sync has not looked for it yet.
  const undone = database.transaction(async (queries) => {
    await queries.run('CREATE TABLE undone (text TEXT)');
    throw new Error('undone');
  });
  await assert.rejects(undone, /undone/);
  fs.renameSync(`${file}-wal`, `${file}-away`);
  await database.run('CREATE TABLE notes (text TEXT)');
  const refused = async (): Promise<unknown> => {
    for (let tries = 0; tries < 1000; tries++) {
      try {
        await database.run("INSERT INTO notes VALUES ('kept')");
        await nextTurn();
      } catch (error) {
        return error;
      }
    }
    return assert.fail('every commit was answered');
  };
  assert.equal(Object(await refused()).code, 'ENOENT');
  fs.renameSync(`${file}-away`, `${file}-wal`);
  const rows = () => database.all('SELECT text FROM notes', [], ({ text }) => text);
  const before = (await rows()).length;
  await refusedAtMostOnce(() => database.run("INSERT INTO notes VALUES ('later')"));
  assert.equal((await rows()).length, before + 1);
  await database.close();
});

/** Another sync may have failed before the log was back. */
async function refusedAtMostOnce(work: () => Promise<unknown>): Promise<void> {
  await work().catch(work);
}
