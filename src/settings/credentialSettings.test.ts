import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replaceCredentialSettings, showCredentialSettings } from './credentialSettings.ts';
import { SettingsError } from './errors.ts';
import { loadSettings } from './load.ts';

const settings = loadSettings({
  env: { SVC_NOTEBOOK_CREDENTIALS: '{"old":{"key":"k"}}', SVC_NOTEBOOK_CREDENTIAL_WRITERS: '{}' },
  cwd: '/nonexistent',
}).settings;

const reference = ['$', '{KEY}'].join('');

test('the five are replaced together; one left out returns to its default', () => {
  const body = {
    notebook_credentials: { lake: { key: 'k', secret: reference } },
    notebook_credential_paths: { lake: ['/srv/team'] },
    catalogs: { lake: { type: 'rest', uri: 'https://c.example', svc_credential: 'lake' } },
  };
  const replaced = replaceCredentialSettings(settings, body);
  assert.deepEqual(replaced, {
    ...settings,
    notebookCredentials: { lake: { key: 'k', secret: reference } },
    notebookMountCredentials: {},
    notebookCredentialPaths: { lake: ['/srv/team'] },
    notebookCredentialWriters: null,
    catalogs: { lake: { type: 'rest', uri: 'https://c.example', svc_credential: 'lake' } },
  });
  assert.deepEqual(showCredentialSettings(replaced), {
    notebook_credentials: { lake: { key: '<redacted>', secret: reference } },
    notebook_mount_credentials: {},
    notebook_credential_paths: { lake: ['/srv/team'] },
    notebook_credential_writers: null,
    catalogs: { lake: { type: 'rest', uri: '<redacted>', svc_credential: '<redacted>' } },
  });
});

test('what was shown may be sent back, beside what is new', () => {
  const catalogs = { lake: { type: 'rest', uri: 'https://c.example' } };
  const before = replaceCredentialSettings(settings, {
    notebook_credentials: { lake: { key: 'k', secret: reference }, gone: { key: 'g' } },
    catalogs,
  });
  const shown = showCredentialSettings(before);
  const after = replaceCredentialSettings(before, {
    ...shown,
    notebook_credentials: { lake: { key: '<redacted>', secret: 'new' }, other: { key: '<redacted>' } },
  });
  assert.deepEqual(
    [after.notebookCredentials, after.catalogs],
    // Of what nobody had, nothing can be kept.
    [{ lake: { key: 'k', secret: 'new' }, other: { key: '<redacted>' } }, catalogs],
  );
});

test('what a start would refuse is refused', () => {
  const refused = (body: Record<string, unknown>, problems: string[]) =>
    assert.throws(() => replaceCredentialSettings(settings, body), new SettingsError(problems));
  refused({ notebook_credential_paths: { c1: ['rel'] } }, [
    "notebook_credential_paths['c1']: 'rel' is not an absolute path",
  ]);
  refused({ catalogs: [] }, ['catalogs: is not a JSON object {name: properties}']);
  refused({ notebook_credentials: { db: { token: 't' } }, catalogs: { lake: { credential: 'db' } } }, [
    "catalogs['lake'].credential: 'db' is a named credential of this server; write it as svc_credential",
  ]);
});
