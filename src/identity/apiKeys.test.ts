import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import { openMetadata } from '../database/index.ts';
import { createApiKeys } from './apiKeys.ts';
import { identified } from './caller.ts';

it('a key is good while the store can be read, even when its last use cannot be written down', async (t) => {
  const artifactDir = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-keys-'));
  t.after(() => fs.rmSync(artifactDir, { recursive: true }));
  const database = await openMetadata({ artifactDir, dsn: undefined });
  t.after(() => database.close());
  const { key } = await createApiKeys(database).create({ principal: 'ann', tenant: 't1', scopes: ['notebook:read'] });
  const full = { ...database, run: () => Promise.reject(new Error('database or disk is full')) };
  assert.deepEqual(await createApiKeys(full).verify(key), identified('ann', 't1', ['notebook:read']));
});
