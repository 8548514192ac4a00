// What cells give each other, where the easy answer is the wrong one.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';

let server: TestServer;
let notebook: TestNotebook;
before(async () => {
  server = await startServer();
  notebook = await createTestNotebook(server, 'Values');
});
after(() => server[Symbol.asyncDispose]());

describe('a value that other cells read', () => {
  it('may be what the cell ends with', async () => {
    const made = await notebook.add('shown = {"n": 1}\nshown');
    const read = await notebook.add('shown["n"] + 1');
    const { status, error, display } = await notebook.run(read);
    assert.deepEqual([status, error, display?.preview], ['ready', null, 2]);
    const { display_outputs, artifact_uris } = await notebook.cell(made);
    assert.equal(display_outputs[0]?.artifact_uri, artifact_uris.shown);
    const blob = await notebook.request('GET', `/cells/${made}/outputs/0/blob`);
    assert.deepEqual([blob.status, blob.json], [200, { n: 1 }]);
  });

  it('may be the very object that the cell was given', async () => {
    await notebook.add('limit = 5000');
    await notebook.add('limit = max(limit, 3)');
    const { status, error, display } = await notebook.run(await notebook.add('limit + 1'));
    assert.deepEqual([status, error, display?.preview], ['ready', null, 5001]);
  });

  it('is another one when it is code and the environment it reads has changed', async () => {
    const set = (value: string) => notebook.request('PUT', '/env', { env: { RUN_MODE: value } });
    await set('one');
    await notebook.add('import os\ndef mode():\n    return os.environ["RUN_MODE"]');
    await notebook.add('def twice():\n    return mode() * 2');
    const direct = await notebook.add('mode()');
    const through = await notebook.add('twice()');
    const shown = async () => [
      (await notebook.run(direct)).display?.preview,
      (await notebook.run(through)).display?.preview,
    ];
    assert.deepEqual(await shown(), ['one', 'oneone']);
    await set('two');
    assert.deepEqual(await shown(), ['two', 'twotwo']);
    await set('one');
    assert.deepEqual(await shown(), ['one', 'oneone']);
  });

  it('is another one when it is code and what its own cell computed for it has changed', async () => {
    const made = (text: string) => `seed = len("${text}") * 7\ndef seeded():\n    return seed`;
    const source = await notebook.add(made('abc'));
    const read = await notebook.add('seeded()');
    assert.equal((await notebook.run(read)).display?.preview, 21);
    await notebook.edit(source, made('abcd'));
    assert.equal((await notebook.run(read)).display?.preview, 28);
    await notebook.edit(source, made('abc'));
    assert.equal((await notebook.run(read)).display?.preview, 21);
  });

  it('is a list as the cell left it, also beside a function that is read with it', async () => {
    await notebook.add(
      'def score(x):\n    return x * 2\nscores = []\nscores.append(score(1))\nscores.append(score(2))',
    );
    const { display } = await notebook.run(await notebook.add('[*scores, score(3)]'));
    assert.deepEqual(display?.preview, [2, 4, 6]);
  });

  it('may be code that calls code of another cell, with what that one computed', async () => {
    await notebook.add('factor = len("abc") * 7\ndef inner():\n    return factor');
    await notebook.add('def outer():\n    return inner() + 1');
    const { error, display } = await notebook.run(await notebook.add('outer()'));
    assert.deepEqual([error, display?.preview], [null, 22]);
  });
});

it('an object codec that there is not fails whatever has to be pickled, and says so', async () => {
  await using server = await startServer({ env: { SVC_NOTEBOOK_OBJECT_CODEC: 'dill' } });
  const notebook = await createTestNotebook(server, 'Codec');
  await notebook.add('number = 1\npair = {(1, 2)}');
  const reader = await notebook.add('number, pair');
  const { status, error } = await notebook.run(reader);
  assert.equal(status, 'error');
  assert.match(String(error), /there is no object codec 'dill': use cloudpickle or pickle/);
});
