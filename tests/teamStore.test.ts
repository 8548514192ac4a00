// Two real servers: one that a team shares, and one whose notebooks promote to it and whose registry it answers for.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { newHome, startServer, type TestServer } from './kit/server.ts';
import { asserted, startProxied } from './kit/service.ts';

const teamCaller = { principal: 'team', scopes: 'artifacts:write admin:registry', tenant: 'crew' };

let team: TestServer;
let own: TestServer;
before(async () => {
  team = await startProxied({
    SVC_ARTIFACT_DIR: path.join(newHome(), 'artifacts'),
    SVC_SERVICE_WRITES_ENABLED: 'true',
    SVC_MULTI_TENANT_ENABLED: 'true',
    SVC_REGISTRY_PROTECTED_ALIASES: 'production',
  });
  own = await startServer({
    env: {
      SVC_NOTEBOOK_REMOTE_STORE_URL: team.address,
      SVC_NOTEBOOK_REMOTE_STORE_HEADERS: JSON.stringify(asserted(teamCaller)),
    },
  });
});
after(async () => {
  await own[Symbol.asyncDispose]();
  await team[Symbol.asyncDispose]();
});

async function printed(notebook: TestNotebook, cellId: string): Promise<[string, string | null]> {
  const { stdout, error } = await notebook.run(cellId);
  return [stdout, error];
}

const atTeam = async (place: string): Promise<unknown> =>
  (await team.rest.get(place, { headers: asserted(teamCaller) })).json;

describe('a team store', () => {
  it('gets a result with all that it was made from, and answers for its name', async () => {
    const notebook = await createTestNotebook(own);
    const first = await notebook.add('base = [1, 2, 3]');
    const second = await notebook.add('total = sum(base)');
    const third = await notebook.add('print(total)');
    await notebook.run(third);
    const { artifact_uris } = await notebook.cell(second);
    const uri = Object(artifact_uris).total;
    const [, id, version] = /^svc:\/\/artifact\/(.*)@v=(\d+)$/.exec(uri) ?? [];
    const promote = (json: unknown) => notebook.request('POST', `/artifacts/${id}/v/${version}/promote`, json);
    const promoted = await promote({ name: 'crew/total', alias: 'production', tags: { stage: 'gold' } });
    assert.deepEqual(promoted.json, {
      name: 'crew/total',
      artifact_uri: uri,
      copied: 2,
      alias: 'production',
      alias_pending: true,
      table: null,
      table_snapshot: null,
      store: team.address,
    });
    assert.equal(Object((await promote({})).json).copied, 0);
    assert.equal(Object(await atTeam('/v1/names/crew/total')).artifact_uri, uri);
    assert.deepEqual(Object(await atTeam(`/v1/artifacts/${id}/v/${version}/tags`)).tags, {
      nb_promotion: 'crew/total',
      stage: 'gold',
    });

    assert.equal(Object((await own.rest.get('/v1/names/crew/total')).json).artifact_uri, uri);
    const lineage = Object((await own.rest.get(`/v1/artifacts/${id}/v/${version}/lineage`)).json);
    assert.deepEqual([lineage.depth, lineage.nodes.length], [1, 2]);
    assert.ok(lineage.nodes.some(({ uri: node }: { uri: string }) => node.includes(first)));
    const missing = await own.rest.get('/v1/names/nothing');
    assert.deepEqual([missing.status, missing.json], [404, { detail: "Name 'nothing' not found" }]);
    assert.equal((await promote({ alias: 'x' })).status, 400);
    assert.equal((await notebook.request('POST', '/artifacts/none/v/1/promote', {})).status, 404);
  });

  it('gets the rows of a table into a table of its own', async () => {
    const notebook = await createTestNotebook(own, 'Tables');
    const made = await notebook.add('import pyarrow as pa\nrows = pa.table({"id": [1, 2]})\nnumber = 3');
    await notebook.run(await notebook.add('print(rows, number)'));
    const uris = Object((await notebook.cell(made)).artifact_uris);
    const promote = (uri: string, json: unknown) => {
      const [, id, version] = /^svc:\/\/artifact\/(.*)@v=(\d+)$/.exec(uri) ?? [];
      return notebook.request('POST', `/artifacts/${id}/v/${version}/promote`, json);
    };
    const table = `file://${path.join(newHome(), 'warehouse')}#crew.rows`;
    const promoted = await promote(uris.rows, { name: 'crew/rows', table });
    assert.deepEqual([promoted.status, Object(promoted.json).table], [200, table]);
    const [, snapshot = ''] = /"table_snapshot":(\d+)/.exec(promoted.text) ?? [];
    assert.match(snapshot, /^\d+$/, 'every digit of it');
    const refused = await promote(uris.number, { table });
    assert.deepEqual(
      [refused.status, Object(refused.json).detail.startsWith(`The team store at ${team.address}: 400 `)],
      [502, true],
    );
  });

  it('answers for what cells have named, and says which cells read a name', async () => {
    const notebook = await createTestNotebook(own, 'Readers');
    const { id } = Object((await notebook.state()).cells[0] ?? { id: await notebook.add('x = 1') });
    const reader = await notebook.add('# @dataset d crew/total@production\nprint(d)');
    const stamped = await team.rest.send('PUT', '/v1/artifacts', {
      headers: asserted(teamCaller),
      json: { transform: { executor: 'x@v1' }, data: [1], name: 'crew/put' },
    });
    const uri = Object(stamped.json).artifact_uri;
    const [, artifact_id] = /^svc:\/\/artifact\/(.*)@v=1$/.exec(uri) ?? [];
    await team.rest.send('PUT', `/v1/artifacts/${artifact_id}/v/1/tags`, {
      headers: asserted(teamCaller),
      json: { key: 'nb_cell', value: id },
    });
    const notebookId = (await notebook.state()).id;
    assert.deepEqual((await notebook.request('GET', '/artifacts')).json, {
      cells: { [id]: [{ artifact_id, version: 1, uri, names: ['crew/put'], tags: {} }] },
      readers: {
        'crew/total': [{ notebook_id: notebookId, cell_id: reader, reference: 'crew/total@production' }],
      },
    });
  });

  it('gets what cells name, and gives what they read by name', async () => {
    const notebook = await createTestNotebook(own, 'Names');
    const putting = await notebook.add(
      'made = svc.put([], {"ref": "example@v1"}, {"x": [1, 2]}, name="crew/numbers")\nprint(made.to_arrow()["x"].to_pylist())',
    );
    assert.deepEqual(await printed(notebook, putting), ['[1, 2]\n', null]);
    const [named] = Object((await notebook.request('GET', '/artifacts')).json).cells[putting];
    assert.deepEqual(named.names, ['crew/numbers']);
    assert.equal(Object(await atTeam('/v1/names/crew/numbers')).artifact_uri, named.uri);
    const reading = await notebook.add('# @dataset d crew/numbers\nprint(d["x"].to_pylist())');
    assert.deepEqual(await printed(notebook, reading), ['[1, 2]\n', null]);
    const lost = await notebook.run(await notebook.add('# @dataset d crew/nothing\nd'));
    assert.match(lost.error ?? '', /@dataset d: crew\/nothing is not in the registry/);
  });

  it('that is gone says so, and breaks nothing here', async () => {
    await team.stop('SIGKILL');
    const answer = await own.rest.get('/v1/names');
    assert.equal(answer.status, 502);
    assert.ok(String(Object(answer.json).detail).startsWith(`The team store at ${team.address}: `));
    const stored = await own.rest.send('PUT', '/v1/artifacts', {
      json: { transform: { executor: 'x@v1' }, data: [1] },
    });
    assert.equal(stored.status, 200);
  });
});
