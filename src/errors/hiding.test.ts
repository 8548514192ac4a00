import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hiding, passwordsIn, secretsIn } from './hiding.ts';

describe('secrets in what others say', () => {
  it('are found in addresses, queries and connection strings', () => {
    assert.deepEqual(
      [
        'postgresql://ann:p%40ss@db/x',
        'postgresql://db/x?user=a&password=pq',
        'BlobEndpoint=http://x/a;AccountKey=a2V5;SharedAccessSignature=sv=1&sig=s1',
        'https://example.org/a?page=2',
        `host=db password=$\{PG}`,
      ].map(passwordsIn),
      [['p%40ss'], ['pq'], ['a2V5', 'sv=1', 's1'], [], []],
    );
  });

  it('are what secret-looking names stand for, at any depth', () => {
    const found = secretsIn({
      type: 'rest',
      uri: 'http://u:pw@host',
      credential: 'id:secret-part',
      token_env: 'MY_TOKEN',
      auth: { user: 'ann', private: 'x1', ref: `$\{A}` },
      list: [{ api_key: 'k1' }],
    });
    assert.deepEqual(found, ['pw', 'id:secret-part', 'secret-part', 'x1', 'k1']);
  });

  it('leave the words around them alone, however short they are', () => {
    assert.equal(
      hiding(['a'])('a table at postgresql://ann:a@data/a was not found; password="a"'),
      'a table at postgresql://ann:***@data/a was not found; password="***"',
    );
    assert.equal(hiding(['pq'])('pq, opaque: pq@host refused pqs'), '***, opaque: ***@host refused pqs');
  });

  it('are taken out in every form they may come back in', () => {
    const hide = hiding(['p@ss "x"', 'p%40ss']);
    assert.equal(hide('sent p@ss "x", p%40ss%20%22x%22, p@ss \\"x\\" and p@ss'), 'sent ***, ***, *** and ***');
  });
});
