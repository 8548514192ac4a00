import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import { refusals } from '../errors/index.ts';
import { openSqlite } from './sqlite.ts';

it('a transaction that finds no room says so, and the next one finds all as before', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-sqlite-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const database = openSqlite(path.join(folder, 'full.db'));
  await database.run('CREATE TABLE kept (bytes BLOB)');
  await database.run('PRAGMA cache_size = 5');
  await database.run('PRAGMA max_page_count = 20');
  const fill = database.transaction(async (queries) => {
    for (let round = 0; round < 50; round++) await queries.run('INSERT INTO kept VALUES (?)', [new Uint8Array(20_000)]);
  });
  await assert.rejects(fill, refusals.storageFull());
  await database.transaction((queries) => queries.run("INSERT INTO kept VALUES ('small')"));
  assert.deepEqual(await database.all('SELECT bytes FROM kept', [], ({ bytes }) => bytes), ['small']);
  await database.close();
});
