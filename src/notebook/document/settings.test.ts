// Edits through files: what the document reads before and after, word for word.
import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../testing.ts';
import {
  readNotebook,
  renameNotebook,
  reorderCells,
  setCatalogs,
  setCellKeys,
  setConnections,
  setEnv,
  setMounts,
  setNotebookTimeout,
  setSecretManager,
  setVariantGroup,
  setWorkers,
} from './index.ts';
import { commented, noon, noonText, opened, readToml, touched } from './testing.ts';

describe('edits of the notebook file', () => {
  it('change their own line and the time', async () => {
    await using folder = await temporaryFolder();
    const { directory, notebook } = await opened(folder.path);
    const renamed = await renameNotebook(notebook, ' New ', { now: noon });
    const text = touched(commented).replace('"Old"', '"New"');
    assert.deepEqual(renamed, { ...notebook, text, name: 'New', updatedAt: '2026-11-15T12:00:00.000001+00:00' });
    assert.equal(await readToml(directory), text);
    await setNotebookTimeout(renamed, 30, { now: noon });
    assert.match(await readToml(directory), /\nfuture = 1\ntimeout = 30\.0\n\n# loads/);
  });

  it('that change nothing write nothing', async () => {
    await using folder = await temporaryFolder();
    const { directory, notebook } = await opened(folder.path);
    const before = await fs.stat(path.join(directory, 'notebook.toml'));
    await renameNotebook(notebook, 'Old');
    await reorderCells(notebook, ['a', 'b']);
    await setCellKeys(notebook, 'a', { worker: null, env: {} });
    await setEnv(notebook, {});
    await setMounts(notebook, []);
    assert.equal((await fs.stat(path.join(directory, 'notebook.toml'))).ino, before.ino);
  });

  it('keep line ends and byte order mark', async () => {
    await using folder = await temporaryFolder();
    const windows = (text: string): string => `\ufeff${text.replaceAll('\n', '\r\n')}`;
    const { directory, notebook } = await opened(folder.path, windows(commented));
    await setNotebookTimeout(notebook, 0.5, { now: noon });
    assert.equal(
      await readToml(directory),
      windows(touched(commented).replace('future = 1\n', 'future = 1\ntimeout = 0.5\n')),
    );
  });

  it('leave secrets in memory and blank on disk', async () => {
    await using folder = await temporaryFolder();
    const { directory, notebook } = await opened(folder.path);
    const env = { PLAIN: 'v', API_KEY: 's3cret', EMPTY: '' };
    const edited = await setEnv(notebook, env, { now: noon });
    assert.deepEqual(edited.env, env);
    assert.equal(await readToml(directory), `${touched(commented)}\n[env]\nAPI_KEY = ""\nEMPTY = ""\nPLAIN = "v"\n`);
    assert.deepEqual((await renameNotebook(edited, 'Else', { now: noon })).env, env);
    assert.deepEqual((await readNotebook(directory, edited)).env, env);
    assert.deepEqual((await readNotebook(directory)).env, { API_KEY: '', EMPTY: '', PLAIN: 'v' });
    const secretOnly = await setEnv(edited, { API_KEY: 'x' }, { now: noon });
    assert.deepEqual([secretOnly.env, (await readToml(directory)).includes('[env]')], [{ API_KEY: 'x' }, false]);
  });

  it('keep the environment sorted, comments with their keys', async () => {
    await using folder = await temporaryFolder();
    const { directory, notebook } = await opened(
      folder.path,
      'notebook_id = "n"\n[env]\n# of C\nC = "3"\nA = "1" # of A\n',
    );
    await setEnv(notebook, { A: '1', B: '2', C: '3' }, { now: noon });
    assert.equal(
      await readToml(directory),
      `notebook_id = "n"\nupdated_at = ${noonText}\n[env]\nA = "1" # of A\nB = "2"\n# of C\nC = "3"\n`,
    );
  });

  it('blank a secret that was written by hand', async () => {
    await using folder = await temporaryFolder();
    const secret = `${commented}[env]\nTOKEN = "t"\nA = "1"\n[connections.c]\ndriver = "sqlite"\nauth = { password = "p" }\n`;
    const withCell = secret.replace('order = 0', 'order = 0\nenv = { DB_PASSWORD = "q", B = "2" }');
    const { directory, notebook } = await opened(folder.path, withCell);
    const edited = await renameNotebook(notebook, 'New', { now: noon });
    const text = await readToml(directory);
    assert.deepEqual([text.includes('"t"'), text.includes('"p"'), text.includes('"q"')], [false, false, false]);
    assert.deepEqual(
      [edited.env, edited.connections[0]?.auth, edited.cells[0]?.env],
      [{ TOKEN: 't', A: '1' }, { password: 'p' }, { DB_PASSWORD: 'q', B: '2' }],
    );
  });

  it('blank a secret in an inline table', async () => {
    await using folder = await temporaryFolder();
    const inline = 'notebook_id = "n"\nconnections = { c = { driver = "sqlite", auth = { password = "p" } } }\n';
    const { directory, notebook } = await opened(folder.path, inline);
    const edited = await renameNotebook(notebook, 'New', { now: noon });
    assert.deepEqual(edited.connections[0]?.auth, { password: 'p' });
    assert.deepEqual((await readNotebook(directory)).connections[0]?.auth, { password: '' });
  });

  it('take the default worker along when it is removed, and only then', async () => {
    await using folder = await temporaryFolder();
    const block = (name: string) => `\n[[workers]]\nname = "${name}"\nbackend = "executor"\n`;
    const { directory, notebook } = await opened(
      folder.path,
      `notebook_id = "n"\nworker = "gpu"\ncells = []\n${block('gpu')}${block('far')}`,
    );
    const named = (name: string) => notebook.workers.filter((worker) => worker.name === name);
    const kept = await setWorkers(notebook, named('gpu'), { now: noon });
    const reset = await setWorkers(kept, named('far'), { now: noon });
    assert.deepEqual([kept.worker, reset.worker], ['gpu', null]);
    assert.doesNotMatch(await readToml(directory), /^worker = /m);
  });

  it('write lists in their documented form', async () => {
    await using folder = await temporaryFolder();
    const { directory, notebook } = await opened(
      folder.path,
      'notebook_id = "n"\ncells = []\nworkers = []\nmounts = []\n',
    );
    const gpu = {
      name: 'gpu',
      backend: 'executor',
      runtime_id: null,
      config: { url: 'http://h', token: null },
    } as const;
    const mount = {
      name: 'd',
      uri: 's3://b/p',
      mode: 'ro',
      pin: null,
      options: { anon: true },
      credential: null,
    } as const;
    let edited = await setWorkers(notebook, [gpu], { now: noon });
    edited = await setMounts(edited, [mount, { ...mount, name: 'e', options: {}, pin: 'v1' }], { now: noon });
    edited = await setVariantGroup(edited, 'clf', { active: 'rf' }, { now: noon });
    edited = await setVariantGroup(edited, 'clf', { mode: 'sweep' }, { now: noon });
    assert.equal(
      await readToml(directory),
      `notebook_id = "n"
cells = []
updated_at = ${noonText}

[[workers]]
name = "gpu"
backend = "executor"

[workers.config]
url = "http://h"

[[mounts]]
name = "d"
uri = "s3://b/p"
mode = "ro"

[mounts.options]
anon = true

[[mounts]]
name = "e"
uri = "s3://b/p"
mode = "ro"
pin = "v1"

[[variant_group]]
group = "clf"
active = "rf"
mode = "sweep"
`,
    );
    edited = await setMounts(await setWorkers(edited, [], { now: noon }), [{ ...mount, options: {} }], { now: noon });
    assert.deepEqual([edited.workers, edited.mounts], [[], [{ ...mount, options: {} }]]);
  });

  it('keep malformed connections word for word', async () => {
    await using folder = await temporaryFolder();
    const bad = '[connections.bad] # odd\nhost = "h"\n';
    const { directory, notebook } = await opened(folder.path, `notebook_id = "n"\n${bad}`);
    const wh = {
      name: 'wh',
      driver: 'sqlite',
      auth: { user: 'u' },
      options: { timeout: 3 },
      credential: null,
      extras: { path: 'a' },
    };
    const edited = await setConnections(notebook, [wh], { now: noon });
    assert.deepEqual(edited.connections, [wh]);
    assert.equal(
      await readToml(directory),
      `notebook_id = "n"\nupdated_at = ${noonText}\n${bad}\n[connections.wh]\ndriver = "sqlite"\npath = "a"\n\n[connections.wh.auth]\nuser = ""\n\n[connections.wh.options]\ntimeout = 3\n`,
    );
    const none = await setConnections(edited, [], { now: noon });
    assert.deepEqual([none.connections, none.malformedConnections], [[], notebook.malformedConnections]);
  });

  it('drop unknown keys of the secret manager and set catalogs', async () => {
    await using folder = await temporaryFolder();
    const { notebook } = await opened(folder.path, 'notebook_id = "n"\n[secret_manager]\nprovider = "p"\nodd = 1\n');
    const edited = await setSecretManager(notebook, { provider: 'infisical', path: '/' });
    assert.deepEqual(edited.secretManager, { provider: 'infisical', path: '/' });
    const bare = await setSecretManager(await setCatalogs(edited, { c: { uri: 'u', n: 1.5 } }), {});
    assert.deepEqual(JSON.parse(JSON.stringify([bare.secretManager, bare.catalogs])), [
      {},
      { c: { uri: 'u', n: 1.5 } },
    ]);
  });

  it('drop unknown keys of the secret manager from the file, whatever is saved', async () => {
    await using folder = await temporaryFolder();
    const text = 'notebook_id = "n"\n[secret_manager]\nprovider = "p"\nodd = 1\n';
    const { directory, notebook } = await opened(folder.path, text);
    await renameNotebook(notebook, 'Other', { now: noon });
    const kept = (await readToml(directory)).split('\n').filter((line) => /provider|odd|name = /.test(line));
    assert.deepEqual(kept.sort(), ['name = "Other"', 'provider = "p"']);
  });

  it('refuse what could not be used, before anything is written', async () => {
    await using folder = await temporaryFolder();
    const { directory, notebook } = await opened(folder.path);
    const mount = { name: 'd', uri: 'ftp://x', mode: 'ro', pin: null, options: {}, credential: null } as const;
    assert.throws(() => setMounts(notebook, [mount]), { kind: 'invalid', message: /scheme 'ftp'/ });
    const file = { ...mount, uri: 'file:///a' };
    assert.throws(() => setMounts(notebook, [file, file]), { kind: 'invalid', message: "duplicate mount name 'd'" });
    await assert.rejects(setEnv(notebook, { A: '\ud800' }), { kind: 'invalid', message: /surrogate/ });
    for (const env of [{ '': 'a' }, { 'A=B': 'a' }, { 'A\0': 'a' }, { A: 'a\0' }])
      assert.throws(() => setEnv(notebook, env), { kind: 'invalid', message: /could not be given to any program/ });
    assert.throws(() => renameNotebook(notebook, '..'), { kind: 'invalid' });
    assert.equal(await readToml(directory), commented);
  });
});
