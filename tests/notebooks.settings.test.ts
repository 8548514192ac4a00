// Settings that one cell makes hold in the cells below it, as in Jupyter, and what they were is part of what makes a result true.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestNotebook, openTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server[Symbol.asyncDispose]());

/** Runs all cells again; resolves when the last one is there. */
async function runAll(notebook: TestNotebook, last: string): Promise<void> {
  const ended = notebook.framesUntil(
    ({ type, payload }) => type === 'cell_status' && payload.cell_id === last && payload.status === 'ready',
  );
  notebook.socket.send('notebook_rerun_all');
  await ended;
}

describe('settings that cells share', () => {
  it('reach the cells below, make them stale when they change, and are told on the cell', async () => {
    const notebook = await createTestNotebook(server, 'Settings');
    const early = await notebook.add('import random\nround(random.random(), 6)');
    const seed = await notebook.add('import random\nrandom.seed(1)');
    const first = await notebook.add('import random\nround(random.random(), 6)');
    const second = await notebook.add('import random\nround(random.random(), 6)');
    const shown = async (id: string): Promise<unknown> => (await notebook.cell(id)).display_output?.preview;
    for (const id of [early, seed, first, second]) await notebook.run(id);
    assert.deepEqual([await shown(first), await shown(second)], [0.134364, 0.847434]);
    assert.deepEqual((await notebook.cell(seed)).effects?.settings_made, ['random']);
    assert.deepEqual((await notebook.cell(early)).effects?.entropy, true);
    assert.deepEqual(
      (await notebook.cell(first)).effects?.entropy,
      false,
      'it repeats, since a cell above gave the seed',
    );

    await notebook.edit(seed, 'import random\nrandom.seed(2)');
    await notebook.run(seed);
    assert.deepEqual(
      await notebook.statuses(),
      'ready ready stale stale',
      'the cell above the seed is none of its readers',
    );
    assert.deepEqual((await notebook.cell(first)).causality?.details, [{ type: 'setting_changed', setting: 'random' }]);
    await notebook.run(second);
    assert.equal(await notebook.statuses(), 'ready ready ready ready', 'the cell that draws before it is run first');
    assert.deepEqual([await shown(first), await shown(second)], [0.956034, 0.947827]);

    await notebook.edit(seed, 'import random\nrandom.seed(1)');
    assert.equal((await notebook.run(seed)).cache_hit, true);
    assert.equal(await notebook.statuses(), 'ready ready ready ready', 'what they gave with that seed is known');
    assert.deepEqual([await shown(first), await shown(second)], [0.134364, 0.847434]);

    await server.rest.post(`/v1/notebooks/${notebook.sessionId}/close`);
    const reopened = await openTestNotebook(server, notebook.path);
    assert.equal(await reopened.statuses(), 'ready ready ready ready');
    await reopened.request('DELETE', `/cells/${seed}`);
    assert.equal(await reopened.statuses(), 'ready stale stale', 'without the cell that made them they are gone');
  });

  it('are made before those that need them when all cells run again', async () => {
    const notebook = await createTestNotebook(server, 'Again');
    const made = await notebook.add('import os\nos.environ["MODE"] = "one"');
    const mode = await notebook.add('import os\nos.environ["MODE"]');
    await runAll(notebook, mode);
    for (let round = 0; round < 3; round += 1) {
      await notebook.edit(made, `import os\nos.environ["MODE"] = "${round}"`);
      await runAll(notebook, mode);
      assert.equal((await notebook.cell(mode)).display_output?.preview, `${round}`);
    }
  });
});
