// SQL cells and mounts on a shared server: nothing of the machine is reached beside what belongs to the notebook.
import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { TestServer } from './kit/server.ts';
import { asserted, startProxied } from './kit/service.ts';
import { openSocket } from './kit/socket.ts';

const headers = asserted({ principal: 'ann', scopes: 'notebook:read notebook:write notebook:execute' });
let server: TestServer;
let at: string;
let notebookPath: string;
let outside: string;

before(async () => {
  server = await startProxied({ SERVER_SIDE: 'of-the-server' });
  const created = Object(
    (await server.rest.post('/v1/notebooks/create', { headers, json: { parent_path: '.', name: 'Shared' } })).json,
  );
  at = `/v1/notebooks/${created.session_id}`;
  notebookPath = created.path;
  const socket = await openSocket(server.address, `/v1/notebooks/ws/${created.session_id}`, headers);
  await socket.frame(({ type }) => type === 'environment_job_finished');
  outside = await fs.mkdtemp(path.join(os.tmpdir(), 'svc-secret-'));
  await fs.writeFile(path.join(outside, 'secret.csv'), 'word\nplanted-marker\n');
});
after(() => server[Symbol.asyncDispose]());

const put = (connections: readonly object[]) =>
  server.rest.send('PUT', `${at}/connections`, { headers, json: { connections } });

async function run(source: string, language = 'sql'): Promise<string> {
  const { id } = Object((await server.rest.post(`${at}/cells`, { headers, json: { language } })).json);
  await server.rest.send('PUT', `${at}/cells/${id}`, { headers, json: { source } });
  const ran = Object((await server.rest.post(`${at}/cells/${id}/execute`, { headers })).json);
  return String(ran.error ?? ran.display?.markdown_text);
}

describe('a shared server', () => {
  it('refuses connections to files that are not the notebook’s', async () => {
    const refused = [
      { name: 'a', driver: 'sqlite', uri: 'file:/etc/passwd' },
      { name: 'a', driver: 'sqlite', path: path.join(server.home, 'x.db') },
      { name: 'a', driver: 'duckdb', path: '../../../x.db' },
      { name: 'a', driver: 'duckdb', path: '/proc/self/environ' },
      { name: 'a', driver: 'bigquery', project_id: 'p' },
      { name: 'a', driver: 'bigquery', project_id: 'p', credentials_path: '/etc/key.json' },
    ];
    for (const connection of refused) {
      const { status, json } = await put([connection]);
      assert.equal(status, 400, JSON.stringify(connection));
      assert.match(Object(json).detail, /^connection 'a': /);
    }
    await fs.symlink(server.home, path.join(notebookPath, 'home'));
    assert.equal((await put([{ name: 'a', driver: 'sqlite', path: 'home/x.db' }])).status, 400);
  });

  it('lets no mount reach for files, identities or addresses of the server', async () => {
    const hostile = [
      { endpoint_url: 'http://169.254.169.254' },
      { profile: 'default' },
      { token: '/etc/passwd' },
      { federated_token_file: '/etc/passwd' },
      { client_kwargs: { endpoint_url: 'http://169.254.169.254' } },
    ];
    for (const options of hostile) {
      const mounts = [{ name: 'far', uri: 's3://bucket/data', options }];
      assert.equal((await server.rest.send('PUT', `${at}/mounts`, { headers, json: { mounts } })).status, 200);
      const [key] = Object.keys(options);
      assert.match(await run('far', 'python'), new RegExp(`options.${key} may only be set by a credential`));
    }
    const mounts = [{ name: 'near', uri: `file://${server.home}` }];
    assert.equal((await server.rest.send('PUT', `${at}/mounts`, { headers, json: { mounts } })).status, 200);
    assert.match(await run('near', 'python'), /may not be mounted on this server/);
  });

  it('lets a query read files of the notebook’s folder by name, and none that a link, a way up or a hidden name leads to', async () => {
    assert.equal((await put([{ name: 'duck', driver: 'duckdb', path: ':memory:' }])).status, 200);
    const work = path.join(notebookPath, 'work');
    await fs.mkdir(path.join(work, 'below'), { recursive: true });
    await fs.writeFile(path.join(work, 'own.csv'), 'word\nof the notebook\n');
    await fs.writeFile(path.join(work, 'below', 'own.json'), '[{"word": "from below"}]');
    await fs.writeFile(path.join(work, '.hidden.csv'), 'word\nplanted-marker\n');
    await fs.writeFile(path.join(notebookPath, 'beside.csv'), 'word\nplanted-marker\n');
    await fs.symlink(path.join(outside, 'secret.csv'), path.join(work, 'link.csv'));
    await fs.symlink(outside, path.join(work, 'links'));
    const ask = (file: string) => run(`# @sql connection=duck\nSELECT word FROM '${file}'`);
    assert.match(await ask('own.csv'), /\| of the notebook \|/);
    assert.match(await ask('below/own.json'), /\| from below \|/);
    for (const file of [
      'link.csv',
      'links/secret.csv',
      '.hidden.csv',
      '../beside.csv',
      'below/../../beside.csv',
      path.join(outside, 'secret.csv'),
      path.join(work, 'own.csv'),
      '/proc/self/fd/0.csv',
    ])
      assert.match(await ask(file), /cannot be read|is not a file in the notebook's folder/, file);
    // What was opened for one name is no way to others.
    const beside = await run("# @sql connection=duck\nSELECT * FROM 'own.csv', read_text('/dev/fd/0')");
    assert.match(beside, /disabled/);
  });

  it('gives queries nothing but their database', async () => {
    const connections = [
      { name: 'duck', driver: 'duckdb', path: ':memory:' },
      { name: 'lite', driver: 'sqlite', path: 'own.db' },
      { name: 'pg', driver: 'postgresql', host: '127.0.0.1', port: 1, auth: { password: `\${SERVER_SIDE}` } },
    ];
    assert.equal((await put(connections)).status, 200);
    const file = path.join(outside, 'secret.csv');
    assert.match(await run('# @sql connection=lite write=true\nCREATE TABLE t (n)'), /CREATE TABLE/);
    const hostile: readonly (readonly [string, RegExp])[] = [
      [`# @sql connection=duck\nSELECT * FROM read_csv('${file}')`, /disabled/],
      [`# @sql connection=duck\nSELECT * FROM '${file}'`, /not a file in the notebook's folder/],
      [`# @sql connection=duck\nSELECT * FROM read_text('/etc/passwd')`, /disabled/],
      [`# @sql connection=duck\nSELECT * FROM read_csv('http://169.254.169.254/latest')`, /disabled/],
      [`# @sql connection=duck write=true\nCOPY (SELECT 1) TO '${outside}/out.csv'`, /disabled/],
      [`# @sql connection=duck write=true\nATTACH '${outside}/other.db' AS o`, /disabled/],
      ['# @sql connection=duck write=true\nINSTALL httpfs', /disabled/],
      ['# @sql connection=duck write=true\nLOAD httpfs', /disabled/],
      ['# @sql connection=duck write=true\nSET enable_external_access = true', /locked|Cannot/],
      ["# @sql connection=duck\nSELECT 1; SELECT * FROM read_csv('/etc/passwd')", /disabled/],
      [`# @sql connection=lite write=true\nATTACH '${outside}/other.db' AS o`, /ATTACH is not allowed/],
      ['# @sql connection=lite write=true\nVACUUM', /VACUUM is not allowed/],
      [`# @sql connection=lite write=true\nVACUUM INTO '${outside}/copy.db'`, /not allowed|parse error/],
      [`# @sql connection=lite write=true\n;;ATTACH DATABASE '${outside}/other.db' AS o`, /not allowed|not authorized/],
      ["# @sql connection=lite\nSELECT load_extension('x')", /not authorized|no such function/],
      ['# @sql connection=pg\nSELECT 1 FROM t', /auth.password refers to SERVER_SIDE, which is not set/],
    ];
    for (const [source, message] of hostile) {
      const told = await run(source);
      assert.match(told, message, source);
      assert.doesNotMatch(told, /planted-marker|root:|of-the-server/);
    }
    assert.deepEqual(await fs.readdir(outside), ['secret.csv']);
    assert.match(await run('# @sql connection=duck\nSELECT 42 AS n'), /\| 42 \|$/);
  });
});
