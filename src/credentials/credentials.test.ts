import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { loadSettings, type Settings } from '../settings/index.ts';
import { type Credentials, createCredentials } from './credentials.ts';

function credentialsWith(given: Partial<Settings>, variables: NodeJS.ProcessEnv = {}): Credentials {
  const { settings } = loadSettings({ env: {}, cwd: os.tmpdir() });
  return createCredentials({ ...settings, ...given }, variables);
}

const use = { directory: '/books/team/book', env: { FROM_BOOK: 'b', EMPTY: '' } };
const refer = (what: string): string => `\${${what}}`;

describe('the fields of a credential', () => {
  it('are literal, of a variable, or of a file that is read at each use', () => {
    const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'svc-credential-')), 'token');
    fs.writeFileSync(file, 'first\r\n\n');
    const fields = {
      plain: 'p',
      number: 5,
      book: refer('FROM_BOOK'),
      server: refer('EMPTY'),
      file: refer(`file:${file}`),
    };
    const credentials = credentialsWith({ notebookCredentials: { main: fields } }, { FROM_BOOK: 'not', EMPTY: 's' });
    const expected = { plain: 'p', number: '5', book: 'b', server: 's', file: 'first' };
    assert.deepEqual(credentials.fieldsOf('main', use), expected);
    fs.writeFileSync(file, 'second');
    assert.deepEqual(credentials.fieldsOf('main', use), { ...expected, file: 'second' });
  });

  it('are refused by name when there is something wrong, and no value is told', () => {
    const credentials = credentialsWith({
      notebookCredentials: { unset: { key: refer('NOWHERE') }, lost: { key: refer('file:/nowhere/at/all') }, own: {} },
      notebookCredentialPaths: { own: ['/books/other', '/books/tea'], free: ['/books/team'] },
    });
    const told = (name: string): string => {
      try {
        return JSON.stringify(credentials.fieldsOf(name, use));
      } catch (error) {
        return error instanceof Error ? error.message : '';
      }
    };
    assert.deepEqual(['none', 'unset', 'lost', 'own', 'free'].map(told), [
      "Credential 'none' is not defined on this server; ask its operator for it.",
      "Credential 'unset' refers to NOWHERE, which is not set.",
      "Credential 'lost' refers to a file that cannot be read.",
      "Credential 'own' may not be used by notebooks in this folder.",
      "Credential 'free' is not defined on this server; ask its operator for it.",
    ]);
    const elsewhere = { ...use, directory: '/books/team/../other/book' };
    assert.throws(() => credentials.fieldsOf('own', elsewhere), /may not be used/);
  });
});

describe('who may write with a credential', () => {
  it('is everybody until writers are set, then only those who match', () => {
    assert.equal(credentialsWith({}).mayWrite('any', null), true);
    const credentials = credentialsWith({ notebookCredentialWriters: { a: ['ann', 'team-*'], all: ['*'] } });
    const may = (name: string, who: string | null): boolean => credentials.mayWrite(name, who);
    assert.deepEqual(
      [
        may('a', 'ann'),
        may('a', 'Ann'),
        may('a', 'team-x'),
        may('a', 'xteam-'),
        may('a', null),
        may('all', null),
        may('b', 'ann'),
      ],
      [true, false, true, false, false, true, false],
    );
  });

  it('is told by the same patterns as the access rules', () => {
    const writers = { a: ['[!g]*', 'x[', `${'*a'.repeat(12)}*b`] };
    const credentials = credentialsWith({ notebookCredentialWriters: writers });
    const asked = ['ann', 'guest', 'x[', `g${'a'.repeat(5000)}`];
    assert.deepEqual(
      asked.map((who) => credentials.mayWrite('a', who)),
      [true, false, true, false],
    );
  });
});
