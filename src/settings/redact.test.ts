import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redactByKey, redactLeaves } from './redact.ts';

const reference = ['$', '{TOKEN}'].join('');

test('a secret loses every literal and keeps names and references', () => {
  assert.deepEqual(redactLeaves({ lake: { key: 'abc', anon: true, token: reference } }), {
    lake: { key: '<redacted>', anon: '<redacted>', token: reference },
  });
  assert.equal(redactLeaves('abc'), '<redacted>');
  assert.equal(redactLeaves(null), null);
});

test('anything else loses only what sounds secret', () => {
  assert.deepEqual(
    redactByKey({
      lake: { type: 'sql', uri: 'postgresql://u:p@h/db', 's3.secret-access-key': 'x', token: reference },
      workers: [{ name: 'w', config: { url: 'http://u:p@h', token: 'x' } }],
      size: 3,
    }),
    {
      lake: { type: 'sql', uri: '<redacted>', 's3.secret-access-key': '<redacted>', token: reference },
      workers: [{ name: 'w', config: { url: 'http://u:***@h', token: '<redacted>' } }],
      size: 3,
    },
  );
  assert.equal(redactByKey('https://store.example:8443/a@b'), 'https://store.example:8443/a@b');
});
