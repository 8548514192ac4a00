// Cells on a shared server that runs them as another user: what they reach of tables and of the registry is what whoever
// runs them may reach.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { before, describe, it, type TestContext } from 'node:test';
import { findProgram } from './kit/parts.ts';
import { newHome, startServer, type TestServer } from './kit/server.ts';
import { asserted, proxyEnvironment } from './kit/service.ts';
import { openSocket } from './kit/socket.ts';
import { untilGiven } from './kit/until.ts';

const scopes = 'notebook:read notebook:write notebook:execute artifacts:read artifacts:write';
const writer = asserted({ principal: 'ann', scopes });
const reader = asserted({ principal: 'bob', scopes: scopes.replace(' artifacts:write', '') });

/** The address of a new session of a caller, whose environment is ready. */
async function createdBy(server: TestServer, headers: Record<string, string>, name: string): Promise<string> {
  const created = Object(
    (await server.rest.post('/v1/notebooks/create', { headers, json: { parent_path: '.', name } })).json,
  );
  const socket = await openSocket(server.address, `/v1/notebooks/ws/${created.session_id}`, headers);
  await socket.frame(({ type }) => type === 'environment_job_finished');
  return `/v1/notebooks/${created.session_id}`;
}

/** A session of a caller, its cells run one after another. */
async function sessionOf(server: TestServer, headers: Record<string, string>, name: string) {
  const at = await createdBy(server, headers, name);
  const run = async (source: string): Promise<unknown> => {
    const { id } = Object((await server.rest.post(`${at}/cells`, { headers, json: {} })).json);
    await server.rest.send('PUT', `${at}/cells/${id}`, { headers, json: { source } });
    const ran = Object((await server.rest.post(`${at}/cells/${id}/execute`, { headers })).json);
    return ran.error ?? ran.display?.preview;
  };
  return { at, run };
}

/** Cells of another user need a way to the notebook and to its interpreter. */
async function startShared(t: TestContext, env: Record<string, string>): Promise<TestServer | undefined> {
  if (process.getuid?.() !== 0) {
    t.skip('Only root may run cells as somebody else.');
    return undefined;
  }
  if (findProgram('python3', ['/usr/bin']) === undefined) {
    t.skip('Other users can reach no Python on this machine.');
    return undefined;
  }
  const home = newHome();
  fs.chmodSync(home, 0o755);
  return startServer({
    home,
    env: {
      ...proxyEnvironment,
      // An interpreter that belongs to the machine and not to whoever runs the tests.
      PATH: '/usr/bin:/bin',
      PYENV_ROOT: '',
      SVC_NOTEBOOK_PYTHON_VERSIONS: '3.11',
      SVC_NOTEBOOK_HARNESS_USER: 'nobody',
      SVC_ARTIFACT_DIR: path.join(home, 'artifacts'),
      SVC_SERVICE_WRITES_ENABLED: 'true',
      ...env,
    },
  });
}

describe('cells of a shared server', () => {
  let warehouse: string;
  before(() => {
    warehouse = path.join(newHome(), 'lake');
    fs.mkdirSync(warehouse);
  });

  it('are helped with before the first has run, for those who may run them', async (t) => {
    const server = await startShared(t, {});
    if (!server) return;
    await using _ = server;
    const at = await createdBy(server, writer, 'Typing');
    const { id } = Object((await server.rest.post(`${at}/cells`, { headers: writer, json: {} })).json);
    const ask = (what: string, source: string, headers = writer) =>
      server.rest.post(`${at}/cells/${id}/${what}`, { headers, json: { source, offset: source.length } });
    // A busy machine may not know it in time; whoever types asks again.
    const offered = await untilGiven(async () => {
      const { json } = await ask('complete', '"".isasc');
      return Object(json).truncated ? undefined : json;
    }, 'an offer');
    assert.deepEqual(offered, { items: [{ label: 'isascii', kind: 'function' }], from: 3, truncated: false });
    // Sources are read though the user of the cells has no home.
    assert.match(Object((await ask('help', 'import os\nos.environ')).json).signature, /environ/i);
    const editor = asserted({ principal: 'ann', scopes: 'notebook:read notebook:write' });
    assert.equal((await ask('complete', '"".isasc', editor)).status, 403);
  });

  it('run as the user they are given to, and reach the registry as their caller', async (t) => {
    const server = await startShared(t, {});
    if (!server) return;
    await using _ = server;
    const { at, run } = await sessionOf(server, writer, 'Ann');
    assert.equal(await run('import getpass, os\nos.getuid()'), 65534);
    const uploaded = await server.rest.send('PUT', `${at}/files/units.csv`, { headers: writer, body: '40,2' });
    assert.deepEqual([uploaded.status, await run('open("units.csv").read()')], [200, '40,2']);
    assert.deepEqual(
      await run(
        'made = svc.put([], {"ref": "example@v1", "params": {}}, {"x": [1, 2]}, name="team/numbers")\nmade.version',
      ),
      1,
    );
    assert.deepEqual(await run('svc.resolve_name("team/numbers").version'), 1);
    const promote = (ref: string): string => `svc.promote("${ref}", name="team/other")`;
    assert.match(String(await run(promote('made'))), /'made' is neither an input of this cell nor an artifact/);
    await run('rows = [1, 2]');
    assert.match(String(await run(`rows\n${promote('rows')}`)), /no team store/i);
    const { run: second } = await sessionOf(server, reader, 'Bob');
    assert.match(
      String(await second('svc.put([], {"ref": "example@v1", "params": {"n": 2}}, {"x": [1]})')),
      /403.*artifacts:write/s,
    );
    assert.match(String(await second('svc.materialize([], {"ref": "nothing"})')), /40[034]/);
  });

  it('read and write only the tables that their caller may', async (t) => {
    const catalogs = { type: 'sql', uri: `sqlite:///${warehouse}/catalog.db`, warehouse: `file://${warehouse}` };
    const server = await startShared(t, {
      SVC_CATALOGS: JSON.stringify({ lake: catalogs, lent: { ...catalogs, svc_credential: 'lake' } }),
      SVC_NOTEBOOK_CREDENTIALS: JSON.stringify({ lake: { note: 'x' } }),
      SVC_NOTEBOOK_CREDENTIAL_WRITERS: JSON.stringify({ lake: ['nobody-else'] }),
      SVC_ACL_CONFIG: JSON.stringify({ deny: [{ principal: '*', tables: ['lake:hidden.*'] }] }),
    });
    if (!server) return;
    await using _ = server;
    const { run } = await sessionOf(server, writer, 'Ann');
    const write = (table: string) => `# @write_table rows ${table} append\nrows = {"x": [1]}\nprint("ran")`;
    assert.match(String(await run(write('lent:a.b'))), /credential 'lake' may only be used for reading/);
    assert.match(String(await run(write('lake:hidden.b'))), /@write_table rows lake:hidden\.b \(append\) failed: /);
    assert.match(String(await run('# @table t lake:hidden.b\nt')), /could not resolve a snapshot/);
    const { run: second } = await sessionOf(server, reader, 'Bob');
    assert.match(String(await second(write('lake:a.b'))), /needs the artifacts:write scope/);
    assert.match(String(await run(write('lake:a.b'))), /'rows' is json\/object, not a table/);
  });

  it('write no tables where the server lets nobody write', async (t) => {
    const server = await startShared(t, { SVC_SERVICE_WRITES_ENABLED: 'false' });
    if (!server) return;
    await using _ = server;
    const { run } = await sessionOf(server, writer, 'Ann');
    assert.match(String(await run(`# @write_table rows ${warehouse}#a.b append\nrows = 1`)), /writes are disabled/i);
  });
});
