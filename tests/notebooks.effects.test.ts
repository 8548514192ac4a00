// What a cell touched decides what is shown as true: files that it read, the clock, the order of cells that meet in files.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTestNotebook, openTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';
import type { Frame } from './kit/socket.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server[Symbol.asyncDispose]());

const place = (notebook: TestNotebook, name: string): string => {
  const folder = path.join(notebook.path, 'work');
  fs.mkdirSync(folder, { recursive: true });
  return path.join(folder, name);
};

const isStale =
  (cellId: string) =>
  ({ type, payload }: Frame): boolean =>
    type === 'cell_status' && payload.cell_id === cellId && payload.status === 'stale';

describe('a file that a cell has read', () => {
  it('makes its readers stale when it is replaced, says which file, and is read by the next run', async () => {
    const notebook = await createTestNotebook(server, 'Prices');
    const prices = place(notebook, 'prices.csv');
    fs.writeFileSync(prices, 'a\n1\n');
    const load = await notebook.add('rows = open("prices.csv").read().split()');
    const sum = await notebook.add('total = sum(int(row) for row in rows[1:])\ntotal');
    await notebook.run(sum);
    assert.equal(await notebook.statuses(), 'ready ready');

    const stale = notebook.framesUntil(isStale(load));
    fs.writeFileSync(`${prices}.new`, 'a\n1\n2\n');
    fs.renameSync(`${prices}.new`, prices);
    const told = (await stale).find(isStale(load))?.payload;
    assert.deepEqual(told?.causality, {
      reason: 'upstream',
      details: [{ type: 'file_changed', file: 'work/prices.csv' }],
    });
    assert.equal(await notebook.statuses(), 'stale stale');
    await notebook.run(sum);
    assert.deepEqual((await notebook.cell(sum)).display_output?.preview, 3);

    fs.writeFileSync(prices, 'a\n1\n');
    assert.equal((await notebook.run(load)).cache_hit, true, 'what it held before is known');
    assert.equal((await notebook.run(sum)).cache_hit, true);
    assert.deepEqual((await notebook.cell(sum)).display_output?.preview, 1);
  });

  it('and is a module that its module imports reaches the cells that use what it gave', async () => {
    const notebook = await createTestNotebook(server, 'Modules');
    fs.writeFileSync(place(notebook, 'util.py'), 'FACTOR = 2\n');
    fs.writeFileSync(place(notebook, 'helpers.py'), 'from util import FACTOR\ndef scaled(n):\n    return n * FACTOR\n');
    await notebook.add('import helpers\nfrom helpers import scaled');
    const byModule = await notebook.add('helpers.scaled(10)');
    const byName = await notebook.add('scaled(100)');
    const shown = async (): Promise<unknown[]> => {
      for (const id of [byModule, byName]) await notebook.run(id);
      const cells = await Promise.all([byModule, byName].map((id) => notebook.cell(id)));
      return cells.map(({ display_output }) => display_output?.preview);
    };
    assert.deepEqual(await shown(), [20, 200]);
    fs.writeFileSync(place(notebook, 'util.py'), 'FACTOR = 30\n');
    assert.deepEqual(await shown(), [300, 3000]);
  });

  it('is looked at when a cell below is run, before any watcher could have told', async () => {
    const notebook = await createTestNotebook(server, 'At once');
    const prices = place(notebook, 'prices.csv');
    fs.writeFileSync(prices, '1');
    await notebook.add('text = open("prices.csv").read()');
    const shown = await notebook.add('print(text)');
    await notebook.run(shown);
    fs.writeFileSync(prices, '22');
    await notebook.run(shown);
    assert.equal((await notebook.cell(shown)).console_stdout, '22\n');
  });

  it('that was replaced while the notebook was closed is noticed when it is opened', async () => {
    const notebook = await createTestNotebook(server, 'Closed');
    const prices = place(notebook, 'prices.csv');
    fs.writeFileSync(prices, '1');
    const load = await notebook.add('text = open("prices.csv").read()\ntext');
    await notebook.run(load);
    const reopened = async (): Promise<TestNotebook> => {
      await server.rest.post(`/v1/notebooks/${notebook.sessionId}/close`);
      return openTestNotebook(server, notebook.path);
    };
    assert.equal(await (await reopened()).statuses(), 'ready');
    fs.writeFileSync(prices, '22');
    const again = await openTestNotebook(server, notebook.path);
    await server.rest.post(`/v1/notebooks/${again.sessionId}/close`);
    assert.equal(await (await openTestNotebook(server, notebook.path)).statuses(), 'stale');
  });

  it('also when a library opened it, and when it was not there', async () => {
    const notebook = await createTestNotebook(server, 'Missing');
    const text = place(notebook, 'late.txt');
    const cell = await notebook.add(
      'import os\ntry:\n    found = open("late.txt").read()\nexcept OSError:\n    found = None\nfound',
    );
    await notebook.run(cell);
    const stale = notebook.framesUntil(isStale(cell));
    fs.writeFileSync(text, 'here');
    await stale;
    await notebook.run(cell);
    assert.equal((await notebook.cell(cell)).display_output?.preview, 'here');
  });

  it('or a folder whose names it asked for, when a file comes or goes', async () => {
    const notebook = await createTestNotebook(server, 'Folder');
    fs.mkdirSync(place(notebook, 'data'));
    fs.writeFileSync(place(notebook, 'data/a.csv'), '1');
    const cell = await notebook.add('import glob\nnames = sorted(glob.glob("data/*.csv"))\nnames');
    await notebook.run(cell);
    assert.equal(await notebook.statuses(), 'ready');
    const stale = notebook.framesUntil(isStale(cell));
    fs.writeFileSync(place(notebook, 'data/b.csv'), '2');
    const told = (await stale).find(isStale(cell))?.payload;
    assert.deepEqual(Object(told?.causality).details, [{ type: 'file_changed', file: 'work/data/' }]);
    await notebook.run(cell);
    assert.deepEqual((await notebook.cell(cell)).display_output?.preview, ['data/a.csv', 'data/b.csv']);
  });

  it('in a folder that comes later, or that another is moved in place of, is noticed at once', async () => {
    const notebook = await createTestNotebook(server, 'Later');
    const cell = await notebook.add(
      'try:\n    found = open("data/deep/x.txt").read()\nexcept OSError:\n    found = None\nfound',
    );
    await notebook.run(cell);
    const becomesStale = async (change: () => void): Promise<unknown> => {
      const stale = notebook.framesUntil(isStale(cell));
      change();
      await stale;
      await notebook.run(cell);
      return (await notebook.cell(cell)).display_output?.preview;
    };
    fs.mkdirSync(place(notebook, 'other/deep'), { recursive: true });
    fs.writeFileSync(place(notebook, 'other/deep/x.txt'), '1');
    assert.equal(await becomesStale(() => fs.renameSync(place(notebook, 'other'), place(notebook, 'data'))), '1');
    fs.mkdirSync(place(notebook, 'newer/deep'), { recursive: true });
    fs.writeFileSync(place(notebook, 'newer/deep/x.txt'), '2');
    const swap = (): void => {
      fs.renameSync(place(notebook, 'data'), place(notebook, 'older'));
      fs.renameSync(place(notebook, 'newer'), place(notebook, 'data'));
    };
    assert.equal(await becomesStale(swap), '2');
    assert.equal(await becomesStale(() => fs.writeFileSync(place(notebook, 'data/deep/x.txt'), '3')), '3');
  });

  it('and has then written to is as the cell left it: others make it stale, and Run goes on from there', async () => {
    const notebook = await createTestNotebook(server, 'Counter');
    fs.writeFileSync(place(notebook, 'count.txt'), '1');
    const count = await notebook.add(
      'number = int(open("count.txt").read())\nopen("count.txt", "w").write(str(number + 1))\nnumber',
    );
    const below = await notebook.add('number * 10');
    await notebook.run(below);
    await notebook.run(below);
    assert.deepEqual(
      [await notebook.statuses(), fs.readFileSync(place(notebook, 'count.txt'), 'utf8')],
      ['ready ready', '2'],
    );
    assert.equal((await notebook.run(count)).cache_hit, false);
    assert.deepEqual((await notebook.cell(count)).display_output?.preview, 2);
    const stale = notebook.framesUntil(isStale(count));
    fs.writeFileSync(place(notebook, 'count.txt'), '50');
    await stale;
  });

  it('that a cell writes itself never makes it stale', async () => {
    const notebook = await createTestNotebook(server, 'Own');
    const cell = await notebook.add('open("own.txt", "w").write("x")\nback = open("own.txt").read()\nback');
    await notebook.run(cell);
    fs.writeFileSync(place(notebook, 'own.txt'), 'other');
    assert.equal((await notebook.run(cell)).cache_hit, true);
  });
});

describe('Run', () => {
  it('runs a cell again that reads the clock or draws numbers, and cascades go on with what is stored', async () => {
    const notebook = await createTestNotebook(server, 'Clock');
    const clock = await notebook.add('import time\nnow = time.time()\nnow');
    const below = await notebook.add('later = now + 1\nlater');
    await notebook.run(below);
    const first = (await notebook.cell(clock)).display_output?.preview;
    assert.equal((await notebook.run(below)).cache_hit, true);
    assert.equal((await notebook.cell(clock)).display_output?.preview, first, 'asked for by nobody');
    assert.equal((await notebook.run(clock)).cache_hit, false);
    assert.notEqual((await notebook.cell(clock)).display_output?.preview, first);
    await notebook.edit(clock, '# @cache forever\nimport time\nnow = time.time()\nnow');
    await notebook.run(clock);
    assert.equal((await notebook.run(clock)).cache_hit, true, 'the annotation decides');
  });
});

describe('the order of a run over all cells', () => {
  const runAll = async (notebook: TestNotebook, last: string, again = false): Promise<string[]> => {
    const cells = (await notebook.state()).cells.map(({ id }) => id);
    const told = notebook.framesUntil(
      ({ type, payload }) =>
        type === 'cell_status' && payload.cell_id === last && ['ready', 'error'].includes(String(payload.status)),
    );
    notebook.socket.send(again ? 'notebook_rerun_all' : 'notebook_run_all');
    return (await told)
      .filter(({ type, payload }) => type === 'cell_status' && ['running', 'ready'].includes(String(payload.status)))
      .map(({ payload }) => `${cells.indexOf(String(payload.cell_id))} ${payload.status}`);
  };

  it('is that of the notebook when nobody knows what its cells touch, however they touch it', async () => {
    const notebook = await createTestNotebook(server, 'Helpers');
    await notebook.add(
      'import pathlib, time\ndef prepare():\n    time.sleep(0.3)\n    pathlib.Path("made").write_text("1")\ndef use():\n    return pathlib.Path("made").read_text()',
    );
    await notebook.add('prepare()');
    const use = await notebook.add('use()');
    const told = await runAll(notebook, use);
    assert.deepEqual(told.slice(-4), ['1 running', '1 ready', '2 running', '2 ready']);
    fs.rmSync(place(notebook, 'made'));
    assert.deepEqual((await runAll(notebook, use, true)).slice(-4), ['1 running', '1 ready', '2 running', '2 ready']);
  });
});
