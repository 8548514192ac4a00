// Secrets are planted wherever one can be given, everything is done that could tell them, and then everything is searched:
// answers, frames, logs, files, exports, processes. What users write into a cell's source is theirs to see in that source.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createMarkers, lookAtFiles, lookAtProcesses, lookAtZip, type Markers, startTelltale } from './kit/markers.ts';
import { createTestNotebook, openTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { findProgram } from './kit/parts.ts';
import { plantedSettings, plantInNotebook } from './kit/planted.ts';
import { startPostgres } from './kit/postgres.ts';
import { newHome, startServer, type TestServer } from './kit/server.ts';
import { startWithKeys } from './kit/service.ts';

const written: string[] = [];
const markers: Markers = createMarkers(() => written);
const { plant } = markers;
const home = newHome();
let server: TestServer;
let notebook: TestNotebook;
let telltale: Awaited<ReturnType<typeof startTelltale>>;
let settings: Record<string, string>;

/** A server whose answers and processes are all looked at. */
async function watched(env: Record<string, string>): Promise<TestServer> {
  const started = await startServer({ home, env });
  const send: TestServer['rest']['send'] = async (method, place, options) => {
    const answer = await started.rest.send(method, place, options);
    markers.look(
      `${method} ${place.replaceAll(/(?<=\/)[0-9a-f]{8}[0-9a-f-]*/g, ':id')}`,
      JSON.stringify(answer.headers) + answer.text,
    );
    if (started.process.pid !== undefined) lookAtProcesses(markers, started.process.pid);
    return answer;
  };
  const rest = {
    ...started.rest,
    send,
    get: (place: string, options?: Parameters<typeof send>[2]) => send('GET', place, options),
    post: (place: string, options?: Parameters<typeof send>[2]) => send('POST', place, options),
  };
  return { ...started, rest, [Symbol.asyncDispose]: () => started[Symbol.asyncDispose]() };
}

const lookAtFrames = (): void => {
  for (const frame of notebook.socket.frames) markers.look(`frame ${frame.type}`, JSON.stringify(frame));
};

async function add(language: string, source: string): Promise<string> {
  const { id } = Object((await notebook.request('POST', '/cells', { language })).json);
  assert.equal((await notebook.edit(id, source)).status, 200);
  return id;
}

/** Runs a cell to its end and gives what it said. */
async function run(id: string): Promise<string> {
  const { error, display, stdout } = await notebook.run(id, 'rerun');
  return String(error ?? display?.preview ?? display?.markdown_text ?? stdout);
}

before(async () => {
  telltale = await startTelltale({
    '/api/v1/auth/universal-auth/login': { accessToken: plant('token of the secret manager') },
    '/api/v3/secrets/raw': { secrets: [{ secretKey: 'WORD', secretValue: plant('secret of the secret manager') }] },
  });
  settings = plantedSettings(plant, telltale.address);
  server = await watched(settings);
  notebook = await createTestNotebook(server, 'Planted');
  await plantInNotebook(notebook, plant, telltale.address);
});

after(async () => {
  await server[Symbol.asyncDispose]();
  await telltale[Symbol.asyncDispose]();
});

describe('a secret is never told', () => {
  it('by cells of any language, whatever becomes of them', async () => {
    const own = `# @env DEPLOY_TOKEN=${plant('variable of a cell')}`;
    const page = `# @fetch page ${telltale.address.replace('//', `//ann:${plant('password of a page')}@`)}/x`;
    written.push(own, page);
    const python = await add(
      'python',
      `${own}\nimport os\nvalue = sum(len(os.environ[name]) for name in ["API_KEY", "DEPLOY_TOKEN", "WORD"])\nvalue`,
    );
    assert.equal(await run(python), '93');
    const token = await add('python', 'svc._headers["X-Svc-Run-Token"][::-1]');
    const backwards = await run(token);
    plant('run token', [...backwards].reverse().join(''));
    const endings = [
      'import os, signal\nos.kill(os.getpid(), signal.SIGKILL)',
      'import os\nos.abort()',
      'raise RuntimeError("on purpose")',
      'svc.resolve_name("nobody")',
      'import ctypes\nctypes.string_at(0)',
    ];
    for (const source of endings)
      assert.notEqual((await notebook.run(await add('python', source))).error, null, source);
    for (const source of [
      page,
      '# @mount m s3://b/x ro credential=bucket',
      '# @table t lake:a.b',
      '# @table t pond:a.b',
      '# @table t a.b',
    ])
      assert.notEqual((await notebook.run(await add('python', `${source}\n1`))).error, null, source);
    for (const mount of ['own', 'lent', 'signed'])
      assert.notEqual((await notebook.run(await add('python', `list(${mount}.iterdir())`))).error, null, mount);
    assert.notEqual((await notebook.run(await add('python', '# @worker far\n1'))).error, null);
    for (const connection of ['pg', 'pq', 'env', 'snow', 'named', 'filed'])
      assert.notEqual(
        (await notebook.run(await add('sql', `# @sql connection=${connection}\nSELECT 1`))).error,
        null,
        connection,
      );
    for (const connection of ['lake', 'pond'])
      assert.notEqual(
        (await notebook.run(await add('sql', `# @sql connection=${connection}\nSELECT * FROM ${connection}.a.b`)))
          .error,
        null,
      );
    assert.match(await run(await add('sql', '# @sql connection=duck\nSELECT :value AS n')), /93/);
    await run(await add('sql', "# @sql connection=duck\nSELECT * FROM duckdb_settings() WHERE value LIKE '%planted%'"));
    await run(
      await add('sql', "# @sql connection=duck\nSELECT getenv('API_KEY'), current_setting('s3_secret_access_key')"),
    );
    assert.match(await run(await add('prompt', 'Hello {{ value }}')), /403/);
    await notebook.request('PUT', '/env', {
      env: { ...Object(await notebook.state()).env, OPENAI_API_KEY: plant('model key of the notebook') },
    });
    await add('widget', 'n = slider(0, 9)');
    if (findProgram('Rscript')) {
      assert.match(await run(await add('r', 'nchar(Sys.getenv("API_KEY"))')), /31/);
      assert.notEqual((await notebook.run(await add('r', 'stop("on purpose")'))).error, null);
    }
    lookAtFrames();
    assert.deepEqual(markers.take(), []);
  });

  it('by processes, while they run', async () => {
    const sources: Record<string, string> = {
      python: 'print("here", flush=True)\nimport time\ntime.sleep(60)',
      sql: '# @sql connection=duck\nSELECT count(*) FROM range(1000000000000)',
      ...(findProgram('Rscript') ? { r: 'cat("here\\n")\nSys.sleep(60)' } : {}),
    };
    for (const [language, source] of Object.entries(sources)) {
      const id = await add(language, source);
      const begun = notebook.socket.frame(
        ({ type, payload }) =>
          payload.cell_id === id && (language === 'sql' ? payload.status === 'running' : type === 'cell_console'),
      );
      const ended = notebook.socket.frame(
        ({ type, payload }) => type === 'cell_status' && payload.cell_id === id && payload.status === 'idle',
      );
      notebook.socket.send('cell_execute', { cell_id: id });
      await begun;
      await server.rest.get('/health');
      notebook.socket.send('cell_cancel', { cell_id: id });
      await ended;
      await notebook.request('DELETE', `/cells/${id}`);
    }
    assert.deepEqual(markers.take(), []);
  });

  it('by anything that can be read of it', async () => {
    const document = Object((await server.rest.get('/openapi.json')).json);
    const state = await notebook.state();
    const [cell] = state.cells;
    const values: Record<string, string> = {
      session_id: notebook.sessionId,
      cell_id: cell?.id ?? '',
      name: 'pg',
      index: '0',
      worker_name: 'far',
    };
    const paths = Object.entries(document.paths).filter(([, methods]) => Object.hasOwn(Object(methods), 'get'));
    for (const [place] of paths) {
      if (/subscribe|events|stream/.test(place)) continue;
      await server.rest.get(place.replaceAll(/\{(\w+)\}/g, (_, name) => values[name] ?? 'x'));
    }
    for (const name of ['pq', 'env', 'snow', 'named', 'filed', 'lake', 'pond'])
      await notebook.request('GET', `/connections/${name}/schema`);
    const kept = Object((await notebook.request('GET', '/artifacts')).json);
    assert.ok(paths.length > 40 && kept !== null);
    await notebook.request('POST', '/secret-manager/refresh');
    await server.rest.get('/v1/logs?limit=1000&level=debug');
    lookAtFrames();
    assert.deepEqual(markers.take(), []);
  });

  it('by an export', async () => {
    for (const query of [
      'zip',
      'snapshot&include=all',
      'markdown',
      'html',
      'markdown&app_view=true',
      'ipynb',
      'script',
    ]) {
      const answer = await fetch(`${server.address}/v1/notebooks/${notebook.sessionId}/export?fmt=${query}`);
      const bytes = Buffer.from(await answer.arrayBuffer());
      assert.equal(answer.status, 200, query);
      if (/zip|snapshot/.test(query)) lookAtZip(markers, query, bytes);
      else markers.look(query, bytes);
    }
    assert.deepEqual(markers.take(), []);
  });

  it('by a notebook whose file holds it, except to that file', async () => {
    const file = path.join(notebook.path, 'notebook.toml');
    const told = notebook.framesUntil(({ type }) => type === 'notebook_state');
    fs.appendFileSync(
      file,
      `\n[ai]\nbase_url = "${telltale.address}/own"\napi_key = "${plant('model key in the file')}"\n` +
        `\n[catalogs.mine]\ntype = "rest"\nuri = "${telltale.address}"\ncredential = "id:${plant('catalog secret in the file')}"\n` +
        `\n[connections.hand]\ndriver = "postgresql"\nhost = "127.0.0.1"\nport = "1"\n[connections.hand.auth]\npassword = "${plant('password in the file')}"\n` +
        `\n[connections.broken]\ndriver = 7\npassword = "${plant('password in a malformed block')}"\n`,
    );
    await told;
    assert.match(await run(await add('prompt', 'Hello again')), /403/);
    for (const name of ['hand', 'broken', 'mine']) await notebook.request('GET', `/connections/${name}/schema`);
    await run(await add('sql', '# @sql connection=hand\nSELECT 1'));
    await run(await add('sql', '# @sql connection=broken\nSELECT 1'));
    await run(await add('python', '# @table t mine:a.b\n1'));
    await notebook.request('GET', '/connections');
    for (const query of ['zip', 'snapshot&include=all', 'html']) {
      const answer = await fetch(`${server.address}/v1/notebooks/${notebook.sessionId}/export?fmt=${query}`);
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (query === 'html') markers.look(query, bytes);
      else lookAtZip(markers, query, bytes);
    }
    lookAtFrames();
    assert.deepEqual(markers.take(), []);
  });

  it('by logs of either form, by what is on disk, or after a crash', async () => {
    markers.look('log', server.output());
    await server.stop('SIGKILL');
    server = await watched({ ...settings, SVC_LOG_FORMAT: 'text' });
    notebook = await openTestNotebook(server, notebook.path);
    await notebook.state();
    for (const { id, language } of (await notebook.state()).cells)
      if (language === 'sql' || language === 'prompt') await notebook.run(id, 'rerun');
    const refused = [
      [
        'PUT',
        `/connections`,
        { connections: [{ name: 'x', driver: 'nope', auth: { password: plant('password of a refused block') } }] },
      ],
      ['PUT', '/env', { env: { A_KEY: { wrong: plant('variable of a wrong shape') } } }],
      ['PUT', '/mounts', { mounts: [{ name: '1x', uri: `s3://u:${plant('password of a refused mount')}@b` }] }],
    ] as const;
    for (const [method, place, body] of refused) await notebook.request(method, place, body);
    await server.rest.send('PUT', '/v1/admin/notebook-credentials', {
      json: { notebook_credentials: { a: { password: [plant('credential of a wrong shape')] } } },
    });
    await server.rest.get('/v1/logs?limit=1000&level=debug');
    lookAtFrames();
    await server.stop();
    markers.look('log as text', server.output());
    const isTheirs = (name: string): boolean => name.endsWith('notebook.toml') || /[/\\]cells[/\\]/.test(name);
    lookAtFiles(markers, home, isTheirs);
    assert.deepEqual(markers.take(), []);
  });

  it('by what is published, nor by a store whose address holds one', async (t) => {
    const started = await startPostgres(t);
    if (!started) return;
    await using postgres = started;
    const dsn = postgres.dsn.replace('svc@', `svc:${plant('password of the store')}@`);
    const {
      SVC_NOTEBOOK_REMOTE_STORE_URL: _url,
      SVC_NOTEBOOK_REMOTE_STORE_HEADERS: _headers,
      SVC_NOTEBOOK_TEAM_CACHE_ENABLED: _team,
      ...own
    } = settings;
    await using publishing = await watched({ ...own, SVC_ARTIFACT_METADATA_DSN: dsn });
    notebook = await createTestNotebook(publishing, 'Published');
    await plantInNotebook(notebook, plant, telltale.address);
    const put = `svc.put(inputs=[], transform={"ref": "test@v1", "params": {}}, data={"n": [len(os.environ["API_KEY"])]}, name="told").uri`;
    const uri = await run(await add('python', `import os\n${put}`));
    const [, id, version] = /artifact\/([^@]+)@v=(\d+)/.exec(uri) ?? [];
    const place = `/v1/artifacts/${id}/v/${version}`;
    const { token, id: publication } = Object((await publishing.rest.post(`${place}/publish`)).json);
    assert.equal(typeof token, 'string', uri);
    for (const part of ['', '/data', '/embed', '/badge.svg', '/verify', '/ro-crate'])
      assert.equal((await publishing.rest.get(`/p/${token}${part}`)).status, 200, part);
    const archive = await fetch(`${publishing.address}/p/${token}/archive.zip`);
    lookAtZip(markers, 'archive of a publication', Buffer.from(await archive.arrayBuffer()));
    const everything = ['/health', '/metrics', '/v1/names', '/v1/registry/audit', `/v1/publications/${token}`, place];
    for (const one of everything) await publishing.rest.get(one);
    await postgres[Symbol.asyncDispose]();
    for (const one of [...everything, `/p/${token}`]) await publishing.rest.get(one);
    await publishing.rest.post(`${place}/publish`);
    await publishing.rest.send('DELETE', `/v1/publications/${publication}`);
    await publishing.rest.get('/v1/logs?limit=1000&level=debug');
    await publishing.stop('SIGKILL');
    await assert.rejects(startServer({ home, env: { ...own, SVC_ARTIFACT_METADATA_DSN: dsn } }), (error: Error) => {
      markers.look('a start without its store', error.message);
      return true;
    });
    markers.look('log of a store that went away', publishing.output());
    lookAtFrames();
    const isTheirs = (name: string): boolean => name.endsWith('notebook.toml') || /[/\\]cells[/\\]/.test(name);
    lookAtFiles(markers, home, isTheirs);
    assert.deepEqual(markers.take(), []);
  });

  it('by a server that callers send their keys to', async () => {
    const keys = createMarkers();
    await using shared = await startWithKeys({ SVC_LOG_LEVEL: 'debug' });
    const key = keys.plant('API key', await shared.createKey('ann', '--scope', 'notebook:read'));
    const bearer = { authorization: `Bearer ${key}` };
    for (const place of [
      '/v1/notebooks/discover',
      `/v1/${key}`,
      `/v1/logs?key=${key}`,
      '/v1/admin/tenants',
      '/metrics',
    ])
      keys.look(`GET ${place.replace(key, ':key')}`, (await shared.rest.get(place, { headers: bearer })).text);
    keys.look('apikey list', (await shared.svc('apikey', 'list')).stdout);
    keys.look('log', shared.output());
    if (shared.process.pid !== undefined) lookAtProcesses(keys, shared.process.pid);
    lookAtFiles(keys, shared.home);
    assert.deepEqual(keys.take(), []);
  });
});
