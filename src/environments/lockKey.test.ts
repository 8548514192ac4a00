// Keys and hashes against vectors that another implementation computed.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { describe, it } from 'node:test';
import { z } from 'zod';
import {
  canonicalLock,
  environmentFolder,
  environmentKey,
  lockfileHash,
  parseLock,
  renvLockKey,
  runtimeFingerprint,
} from './lockKey.ts';

const folder = new URL('../../tests/vectors/env-key/', import.meta.url);
const bytesOf = (name: string): Buffer => fs.readFileSync(new URL(name, folder));
const expected = z
  .object({
    uv_locks: z.array(
      z.object({
        lock_file: z.string(),
        key: z.string(),
        canonical_json: z.string(),
        runtime_closure_fingerprint_hex: z.string(),
        provenance_lockfile_hash: z.string(),
      }),
    ),
    renv_lock_key: z.string(),
    provenance_lockfile_hash_renv_only: z.string(),
    provenance_lockfile_hash_vector_a_plus_renv: z.string(),
    provenance_lockfile_hash_no_lock: z.string(),
    worker_directory_key_for_vector_a: z.object({ build: z.string(), directory: z.string() }),
    execution_env_hash: z.object({ hash: z.string() }),
  })
  .parse(JSON.parse(bytesOf('expected.json').toString()));

describe('the identity of a lock', () => {
  for (const { lock_file, ...wanted } of expected.uv_locks) {
    it(lock_file, () => {
      const lock = parseLock(bytesOf(lock_file).toString());
      assert.deepEqual(
        {
          key: environmentKey(lock),
          canonical_json: canonicalLock(lock),
          runtime_closure_fingerprint_hex: runtimeFingerprint(lock).toString('hex'),
          provenance_lockfile_hash: lockfileHash(bytesOf(lock_file), undefined),
        },
        wanted,
      );
    });
  }

  it('with R beside it, alone, and without any lock', () => {
    const [lock, renv] = [bytesOf('a-two-packages.lock.toml'), bytesOf('renv.lock.json')];
    assert.equal(renvLockKey(renv), expected.renv_lock_key);
    assert.equal(lockfileHash(undefined, renv), expected.provenance_lockfile_hash_renv_only);
    assert.equal(lockfileHash(lock, renv), expected.provenance_lockfile_hash_vector_a_plus_renv);
    assert.equal(lockfileHash(undefined, undefined), expected.provenance_lockfile_hash_no_lock);
  });

  it('with an interpreter it names a folder', () => {
    const { build, directory } = expected.worker_directory_key_for_vector_a;
    assert.equal(
      environmentFolder(environmentKey(parseLock(bytesOf('a-two-packages.lock.toml').toString())), build),
      directory,
    );
  });

  it('a lock that cannot be read counts as its bytes', () => {
    assert.equal(
      lockfileHash(Buffer.from('= broken'), undefined),
      createHash('sha256').update('= broken').digest('hex'),
    );
  });
});
