// Agents and what lies beyond a notebook: machines that cells run on, where results come from, handing them on.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { connectAgent, type TestAgent } from './kit/mcp.ts';
import { newHome, startServer, type TestServer } from './kit/server.ts';
import { asserted, startProxied } from './kit/service.ts';

const local = {
  name: 'local',
  backend: 'local',
  transport: 'local',
  url: null,
  runtime_id: null,
  token_env: null,
};

describe('an agent on a server of its own', () => {
  let team: TestServer;
  let server: TestServer;
  let agent: TestAgent;
  let session_id: string;
  let base: string;
  let total: string;

  before(async () => {
    team = await startServer({
      env: { SVC_ARTIFACT_DIR: path.join(newHome(), 'artifacts'), SVC_REGISTRY_PROTECTED_ALIASES: 'production' },
    });
    server = await startServer({
      env: {
        SVC_MCP_ENABLED: 'true',
        SVC_ARTIFACT_DIR: path.join(newHome(), 'artifacts'),
        SVC_NOTEBOOK_REMOTE_STORE_URL: team.address,
      },
    });
    agent = await connectAgent(server.address);
    session_id = String((await agent.call('create_notebook', { name: 'Results' })).session_id);
    base = String((await agent.call('add_cell', { session_id, source: 'numbers = [1, 2, 3]' })).id);
    total = String((await agent.call('add_cell', { session_id, source: 'total = sum(numbers)' })).id);
    await agent.call('run_snippet', { session_id, source: 'total + 1' });
  });
  after(async () => {
    await agent[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    await team[Symbol.asyncDispose]();
  });

  it('defines, chooses and removes workers', async () => {
    const gpu = { name: 'gpu', url: 'http://ann:secret@127.0.0.1:9/v1/execute', runtime_id: 'a100', token_env: 'GPU' };
    const shown = {
      ...gpu,
      url: 'http://ann:***@127.0.0.1:9/v1/execute',
      backend: 'executor',
      transport: 'direct',
      is_default: true,
    };
    assert.deepEqual(await agent.call('add_worker', { session_id, ...gpu, set_default: true }), {
      default: 'gpu',
      editable: true,
      workers: [{ ...local, is_default: false }, shown],
    });
    const back = {
      default: null,
      editable: true,
      workers: [
        { ...local, is_default: true },
        { ...shown, is_default: false },
      ],
    };
    assert.deepEqual(await agent.call('set_default_worker', { session_id, name: 'local' }), back);
    assert.deepEqual(await agent.call('list_workers', { session_id }), back);
    assert.match(await agent.refused('remove_worker', { session_id, name: 'cpu' }), /There is no worker 'cpu'/);
    assert.deepEqual(await agent.call('remove_worker', { session_id, name: 'gpu' }), {
      default: null,
      editable: true,
      workers: [{ ...local, is_default: true }],
    });
    for (const wrong of [
      { name: 'local', url: 'http://w' },
      { name: 'a b', url: 'http://w' },
      { name: 'w', url: 'file:///etc/passwd' },
      { name: 'w', url: 'http://w', token_env: 'A=B' },
      { name: 'w', url: 'http://w', transport: 'build' },
    ])
      await agent.refused('add_worker', { session_id, ...wrong });
    assert.equal(Object((await agent.call('list_workers', { session_id })).workers).length, 1);
  });

  it('is told why a machine cannot be reached over ssh', async () => {
    for (const ssh_target of ['-oProxyCommand=evil', 'a b', 'no-such-host.invalid'])
      assert.match(await agent.refused('connect_ssh_worker', { session_id, ssh_target }), /connect_ssh_worker: /);
    const gone = await agent.call('disconnect_ssh_worker', { session_id, name: 'lab' });
    assert.deepEqual([gone.torn_down, gone.default], [false, null]);
  });

  it('follows a result back, and sees what publishing it would show', async () => {
    const result = { session_id, cell_id: total, variable: 'total' };
    const { artifact_id, version, provenance_hash, content_sha256, steps } = await agent.call('lineage', result);
    assert.match(`${provenance_hash} ${content_sha256}`, /^[0-9a-f]{64} [0-9a-f]{64}$/);
    const stepsOf = (list: unknown) =>
      Object(list).map(({ type, transform, source }: Record<string, string>) => [type, transform, source]);
    assert.deepEqual(stepsOf(steps), [
      ['artifact', 'notebook/cell@v1', 'total = sum(numbers)'],
      ['artifact', 'notebook/cell@v1', 'numbers = [1, 2, 3]'],
    ]);
    assert.equal(Object((await agent.call('lineage', { ...result, max_depth: 1 })).steps).length, 2);
    const seen = await agent.call('publish_preflight', result);
    const uris = Object(steps).map(({ uri }: { uri: string }) => uri);
    assert.deepEqual(
      [seen.artifact_id, seen.version, seen.exposes, seen.step_count, seen.reads_source_of],
      [artifact_id, version, steps, 2, uris],
    );
    assert.match(
      await agent.refused('lineage', { ...result, variable: 'sum' }),
      new RegExp(`Cell '${total}' has stored no 'sum'; it has stored total\\.`),
    );
    const unread = String((await agent.call('add_cell', { session_id, source: 'x = 1' })).id);
    assert.match(await agent.refused('lineage', { ...result, cell_id: unread }), /has no stored results; run it first/);
    await agent.call('remove_cell', { session_id, cell_id: unread });
  });

  it('finds the value of each variant', async () => {
    const { session_id } = await agent.call('create_notebook', { name: 'Variants' });
    const add = async (source: string) => String((await agent.call('add_cell', { session_id, source })).id);
    const [low, high] = [await add('# @variant rate low\nrate = 1'), await add('# @variant rate high\nrate = 2')];
    await agent.call('set_variant', { session_id, group: 'rate', mode: 'sweep' });
    const fan = await add('# @per_variant\ndouble = rate * 2');
    const reader = await add('print(double)');
    const named = async (name: string) => (await agent.call('get_variable', { session_id, name })).variants;
    assert.deepEqual(await named('rate'), [
      { variant: 'low', cell_id: low, lineage_variable: 'rate' },
      { variant: 'high', cell_id: high, lineage_variable: 'rate' },
    ]);
    assert.deepEqual(await named('double'), [
      { variant: 'low', cell_id: fan, lineage_variable: 'double@variant=low' },
      { variant: 'high', cell_id: fan, lineage_variable: 'double@variant=high' },
    ]);
    assert.equal((await agent.call('run_cell', { session_id, cell_id: reader })).status, 'ok');
    const sourcesBehind = async (cell_id: string, variable: string): Promise<string[]> =>
      Object((await agent.call('lineage', { session_id, cell_id, variable })).steps).map(
        ({ source }: { source: string }) => source.split('\n').at(-1),
      );
    assert.deepEqual(await sourcesBehind(high, 'rate'), ['rate = 2']);
    assert.deepEqual(await sourcesBehind(fan, 'double@variant=high'), ['double = rate * 2', 'rate = 2']);
  });

  it('sets a control and is told how its cell ran', async () => {
    const { session_id } = await agent.call('create_notebook', { name: 'Controls' });
    const source = 'size = slider(1, 10, default=3)';
    const { id: cell_id } = await agent.call('add_cell', { session_id, source, language: 'widget' });
    const set = await agent.call('set_widget_value', { session_id, cell_id, values: { size: '7', other: 1 } });
    assert.deepEqual([set.values, Object(set.run).status, Object(set.run).error], [{ size: 7 }, 'ok', null]);
    assert.match(
      await agent.refused('set_widget_value', { session_id, cell_id, values: { other: 1 } }),
      /name widgets that the cell has now \(size\)/,
    );
  });

  it('publishes a result once, with what it was made from', async () => {
    const result = { session_id, cell_id: total, variable: 'total' };
    const { token, url, id, artifact_uri, title, copied } = await agent.call('publish', { ...result, title: 'Six' });
    assert.deepEqual([url, title, copied], [`/p/${token}`, 'Six', 2]);
    const page = await server.rest.get(`/p/${token}`);
    assert.equal(page.status, 200);
    assert.match(page.text, /total = sum\(numbers\)/);
    assert.equal((await server.rest.get(`/p/${token}/data`)).text, '6');
    const { token: none, id: same, artifact_uri: there, copied: more } = await agent.call('publish', result);
    assert.deepEqual([none, same, there, more], ['', id, artifact_uri, 0]);
  });

  it('promotes a result; a protected alias waits', async () => {
    const result = { session_id, cell_id: base, variable: 'numbers' };
    const promoted = await agent.call('promote', { ...result, name: 'crew/numbers', tags: { stage: 'gold' } });
    assert.deepEqual(promoted, {
      status: 'applied',
      name: 'crew/numbers',
      artifact_uri: promoted.artifact_uri,
      copied: 1,
      alias: null,
      store: team.address,
    });
    assert.equal(Object((await team.rest.get('/v1/names/crew/numbers')).json).artifact_uri, promoted.artifact_uri);
    const waits = await agent.call('promote', { ...result, name: 'crew/numbers', alias: 'production' });
    assert.deepEqual([waits.status, waits.alias], ['pending', 'production']);
  });

  it('learns why cells cannot run when the environment could not be made, and mends it', async () => {
    const { session_id, path: directory } = await agent.call('create_notebook', { name: 'Unmade' });
    const project = path.join(String(directory), 'pyproject.toml');
    const good = fs.readFileSync(project, 'utf8');
    const { id: cell_id } = await agent.call('add_cell', { session_id, source: '1 + 1' });
    await agent.call('close_notebook', { session_id });
    fs.rmSync(path.join(String(directory), '.venv'), { recursive: true });
    fs.writeFileSync(project, '[project');
    const again = String((await agent.call('open_notebook', { path: directory })).session_id);
    const failed = await agent.call('sync_environment', { session_id: again });
    assert.equal(failed.success, false);
    const reason = await agent.refused('run_cell', { session_id: again, cell_id });
    assert.match(
      reason,
      /Notebook environment is not ready\. Sync it again when this is solved: pyproject\.toml cannot be read/,
    );
    assert.match(await agent.refused('run_tests', { session_id: again, cell_id }), /pyproject\.toml cannot be read/);
    fs.writeFileSync(project, good);
    assert.deepEqual(await agent.call('sync_environment', { session_id: again }), { success: true, error: null });
    assert.equal((await agent.call('run_cell', { session_id: again, cell_id })).status, 'ok');
  });
});

describe('agents on a shared server', () => {
  const everything = 'notebook:read notebook:write notebook:execute artifacts:publish';

  it('see a notebook that colleagues share once, by their own session where they have one', async () => {
    await using server = await startProxied({ SVC_MCP_ENABLED: 'true', SVC_NOTEBOOK_STORAGE_DIR: newHome() });
    const as = (principal: string) => connectAgent(server.address, asserted({ principal, scopes: everything }));
    await using ann = await as('ann');
    await using bob = await as('bob');
    await using eve = await as('eve');
    const made = await ann.call('create_notebook', { name: 'Shared' });
    const opened = await bob.call('open_notebook', { path: made.path });
    assert.notEqual(opened.session_id, made.session_id);
    const listed = async (agent: TestAgent) => (await agent.call('list_notebooks')).result;
    assert.deepEqual([await listed(ann), await listed(bob), await listed(eve)], [[made], [opened], [made]]);
  });

  it('have the scopes, the tenant and the workers that the server gives them', async () => {
    await using server = await startProxied({
      SVC_MCP_ENABLED: 'true',
      SVC_MULTI_TENANT_ENABLED: 'true',
      SVC_ARTIFACT_DIR: path.join(newHome(), 'artifacts'),
      SVC_NOTEBOOK_STORAGE_DIR: newHome(),
    });
    const as = (principal: string, scopes: string, tenant = 'red') =>
      connectAgent(server.address, asserted({ principal, scopes, tenant }));
    await using owner = await as('ann', everything);
    await using reader = await as('rob', 'notebook:read');
    await using stranger = await as('eve', everything, 'blue');
    const session_id = String((await owner.call('create_notebook', { name: 'Shared' })).session_id);
    const { id: cell_id } = await owner.call('add_cell', { session_id, source: 'x = 1' });
    const result = { session_id, cell_id, variable: 'x' };

    assert.deepEqual(await reader.call('list_workers', { session_id }), {
      default: null,
      editable: false,
      workers: [{ ...local, is_default: true }],
    });
    const worker = { session_id, name: 'w', url: 'http://127.0.0.1:9/' };
    const notOurs = /This server uses only the workers of its own registry/;
    assert.match(await owner.refused('add_worker', worker), notOurs);
    assert.match(await owner.refused('remove_worker', { session_id, name: 'w' }), notOurs);
    assert.match(await owner.refused('connect_ssh_worker', { session_id, ssh_target: 'lab' }), notOurs);
    assert.match(await owner.refused('disconnect_ssh_worker', { session_id, name: 'w' }), notOurs);
    assert.match(await owner.refused('set_default_worker', { session_id, name: 'w' }), /may use/);
    const needed = async (name: string, args: Record<string, unknown>) =>
      /'(\w+)' requires the (\S+) scope/
        .exec(await reader.refused(name, args))
        ?.slice(1)
        .join(' ');
    assert.deepEqual(
      [
        await needed('add_worker', worker),
        await needed('set_default_worker', { session_id }),
        await needed('connect_ssh_worker', { session_id, ssh_target: 'lab' }),
        await needed('publish', result),
        await needed('promote', { ...result, name: 'n' }),
        await needed('sync_environment', { session_id }),
      ],
      [
        'add_worker notebook:write',
        'set_default_worker notebook:write',
        'connect_ssh_worker notebook:execute',
        'publish artifacts:publish',
        'promote notebook:write',
        'sync_environment notebook:execute',
      ],
    );
    assert.match(await owner.refused('publish', result), /has no stored results|stored no/);
    assert.match(await owner.refused('promote', { ...result, name: 'n' }), /has no stored results|stored no/);
    for (const name of ['list_workers', 'get_notebook'])
      assert.match(await stranger.refused(name, { session_id }), /not found/i);
    assert.match(await stranger.refused('lineage', result), /not found/i);
    assert.deepEqual(await stranger.call('list_notebooks'), { result: [] });
  });
});
