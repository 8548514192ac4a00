// Secrets are compared in time that does not depend on where they differ: only by the platform's own comparison.
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { sameHex, secretMatcher, sha256Hex } from './secrets.ts';

describe('comparing secrets', () => {
  let compared: [number, number][] = [];
  const platforms = crypto.timingSafeEqual;

  beforeEach(() => {
    compared = [];
    mock.method(crypto, 'timingSafeEqual', (a: Buffer, b: Buffer) => {
      compared.push([a.length, b.length]);
      return platforms(a, b);
    });
    syncBuiltinESMExports();
  });
  afterEach(() => {
    mock.restoreAll();
    syncBuiltinESMExports();
  });

  it('holds a given secret against the known one by their digests, whatever its length', () => {
    const matches = secretMatcher('sesame');
    assert.deepEqual([matches('sesame'), matches('sesamé'), matches(''), matches('s')], [true, false, false, false]);
    assert.deepEqual(compared, Array(4).fill([32, 32]));
  });

  it('holds two digests in hexadecimal against each other', () => {
    const digest = sha256Hex('sesame');
    assert.deepEqual(
      [sameHex(digest, digest), sameHex(digest, sha256Hex('x')), sameHex(digest, 'abcd')],
      [true, false, false],
    );
    assert.deepEqual(compared, Array(2).fill([32, 32]));
  });
});
