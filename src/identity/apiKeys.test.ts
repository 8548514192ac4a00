import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { it, type TestContext } from 'node:test';
import { type Database, openMetadata } from '../database/index.ts';
import { createApiKeys } from './apiKeys.ts';
import { identified } from './caller.ts';

async function openStore(t: TestContext): Promise<Database> {
  const artifactDir = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-keys-'));
  const database = await openMetadata({ artifactDir, dsn: undefined });
  t.after(async () => {
    await database.close();
    fs.rmSync(artifactDir, { recursive: true });
  });
  return database;
}

const ann = { principal: 'ann', tenant: 't1', scopes: ['notebook:read'] };
const verified = identified('ann', 't1', ['notebook:read']);

it('a key is its id and its secret: neither does without the other', async (t) => {
  const keys = createApiKeys(await openStore(t));
  const [{ key, record }, { key: other }] = [await keys.create(ann), await keys.create(ann)];
  const secret = key.slice(`svc_${record.key_id}_`.length);
  const wrong = [
    `svc_${record.key_id}_${other.slice(-secret.length)}`,
    `svc_${record.key_id}_${secret}x`,
    `svc_${record.key_id}_${secret.slice(1)}`,
    `svc_${record.key_id}_`,
    `svc_${record.key_id}`,
    `svc_${'0'.repeat(32)}_${secret}`,
    key.toUpperCase(),
  ];
  assert.deepEqual(await keys.verify(key), verified);
  assert.deepEqual(
    await Promise.all(wrong.map(keys.verify)),
    wrong.map(() => undefined),
  );
});

it('a key is good while the store can be read, even when its last use cannot be written down', async (t) => {
  const database = await openStore(t);
  const { key } = await createApiKeys(database).create(ann);
  const full = { ...database, run: () => Promise.reject(new Error('database or disk is full')) };
  assert.deepEqual(await createApiKeys(full).verify(key), verified);
});
