// The client that Python cells find under the name `svc`: artifacts and names of the server that runs them.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';

let server: TestServer;
let notebook: TestNotebook;
before(async () => {
  server = await startServer();
  notebook = await createTestNotebook(server, 'Ambient');
});
after(() => server[Symbol.asyncDispose]());

const shown = async (source: string): Promise<unknown> => {
  const { display, error, traceback } = await notebook.run(await notebook.add(source));
  assert.equal(error, null, String(traceback));
  return display?.preview;
};

describe('a cell', () => {
  it('stores a table under a name, finds it again, and reads it', async () => {
    const stored = await shown(
      'made = svc.put([], {"ref": "example@v1", "params": {"n": 1}}, {"x": [1, 2, 3]}, name="team/numbers")\n[made.version, made.to_arrow()["x"].to_pylist(), svc.get_tags(made)["nb_cell"] != ""]',
    );
    assert.deepEqual(stored, [1, [1, 2, 3], true]);
    assert.deepEqual(await shown('svc.resolve_name("team/numbers").to_arrow()["x"].to_pylist()'), [1, 2, 3]);
    assert.equal(
      await shown(
        'svc.set_alias("team/numbers", "candidate", svc.resolve_name("team/numbers"))\nsvc.resolve_alias("team/numbers", "candidate").version',
      ),
      1,
    );
    const again = await shown(
      'svc.put([], {"ref": "example@v1", "params": {"n": 1}}, {"x": [1, 2, 3]}, name="team/numbers").cache_hit',
    );
    assert.equal(again, true);
    const { status, json } = await server.rest.get('/v1/names/team/numbers');
    assert.deepEqual([status, Object(json).version], [200, 1]);
  });

  it('is told what the server refused', async () => {
    const failing = await notebook.run(await notebook.add('svc.resolve_name("nobody/knows")'));
    assert.match(failing.error ?? '', /ServerRefused: GET \/v1\/names\/nobody\/knows answered 404/);
  });
});

describe('a dataset of the registry', () => {
  it('is an input by name, alias or number, and a move of the name is another result', async () => {
    const put = (values: string) =>
      shown(`svc.put([], {"ref": "d", "params": {"v": ${values}}}, {"x": ${values}}, name="lab/data").version`);
    await put('[1]');
    const cell = await notebook.add('# @dataset d lab/data\nd["x"].to_pylist()');
    assert.deepEqual((await notebook.run(cell)).display?.preview, [1]);
    assert.equal((await notebook.run(cell)).cache_hit, true);
    await put('[2, 3]');
    assert.deepEqual((await notebook.run(cell)).display?.preview, [2, 3]);
    await shown('svc.set_alias("lab/data", "best", svc.resolve_name("lab/data")).get("status")');
    const best = await notebook.add('# @dataset d lab/data@best\nd["x"].to_pylist()');
    assert.deepEqual((await notebook.run(best)).display?.preview, [2, 3]);
  });

  it('that is not there fails the cell with its name', async () => {
    const failing = await notebook.run(await notebook.add('# @dataset d nope/model\nd'));
    assert.match(failing.error ?? '', /@dataset d: nope\/model is not in the registry/);
  });
});
