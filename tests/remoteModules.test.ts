// Modules that lie in the folder that cells run in: a cell on a worker imports them as one that runs here does.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { createTestNotebook, openTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { newHome, startServer, type TestServer } from './kit/server.ts';
import { startWorker, type TestWorker } from './kit/worker.ts';

describe('a cell on a worker', () => {
  let server: TestServer;
  let worker: TestWorker;
  before(async () => {
    const env = { SVC_WORKER_ALLOW_LOCAL_HOSTS: '1' };
    [server, worker] = await Promise.all([startServer(), startWorker({ env, args: ['--environment', 'own'] })]);
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await worker[Symbol.asyncDispose]();
  });

  async function notebookWith(name: string, files: Readonly<Record<string, string>>): Promise<TestNotebook> {
    const notebook = await createTestNotebook(server, name);
    const workers = ['direct', 'signed'].map((transport) => {
      const config = { url: worker.address, transport };
      return { name: transport === 'direct' ? 'far' : 'signed', backend: 'executor', runtime_id: 'lab', config };
    });
    assert.equal((await notebook.request('PUT', '/workers', { workers })).status, 200);
    for (const [file, text] of Object.entries(files)) write(notebook, file, text);
    return notebook;
  }

  const place = (notebook: TestNotebook, file: string): string => path.join(notebook.path, 'work', file);

  function write(notebook: TestNotebook, file: string, text: string): void {
    fs.mkdirSync(path.dirname(place(notebook, file)), { recursive: true });
    fs.writeFileSync(place(notebook, file), text);
  }

  const shown = async (notebook: TestNotebook, cell: string): Promise<unknown> => {
    const { error, cache_hit: isReused, display } = await notebook.run(cell);
    return error ?? [display?.preview, isReused ? 'reused' : 'run'];
  };

  it('imports modules and packages of the notebook, and is stale when one of them changes', async () => {
    const notebook = await notebookWith('Own modules', {
      'helpers.py': 'from shapes import area\ndef twice(n):\n    import rates\n    return rates.FACTOR * area(n)\n',
      'shapes/__init__.py': 'from .squares import area\n',
      'shapes/squares.py': 'def area(n):\n    return n * n\n',
      'rates.py': 'FACTOR = 2\n',
      'unused.py': 'raise RuntimeError("nobody asked")\n',
    });
    const cell = await notebook.add('# @worker far\nimport helpers\nhelpers.twice(3)');
    assert.deepEqual(await shown(notebook, cell), [18, 'run']);
    assert.deepEqual(await shown(notebook, cell), [18, 'reused']);
    write(notebook, 'unused.py', '');
    assert.deepEqual(await shown(notebook, cell), [18, 'reused']);
    write(notebook, 'shapes/squares.py', 'def area(n):\n    return n + n\n');
    assert.deepEqual(await shown(notebook, cell), [12, 'run']);
    write(notebook, 'rates.py', 'FACTOR = 10\n');
    const reason = { type: 'file_changed', file: 'work/rates.py' };
    await notebook.socket.frame(
      ({ type, payload }) =>
        type === 'cell_status' &&
        payload.cell_id === cell &&
        isDeepStrictEqual(payload.causality, { reason: 'upstream', details: [reason] }),
    );
    assert.deepEqual(await shown(notebook, cell), [60, 'run']);
  });

  it('that pulls its cells by signed addresses imports them too', async () => {
    const notebook = await notebookWith('Signed', { 'helpers.py': 'ANSWER = 42\n' });
    const cell = await notebook.add('# @worker signed\nimport helpers\nhelpers.ANSWER');
    assert.deepEqual(await shown(notebook, cell), [42, 'run']);
    write(notebook, 'helpers.py', 'ANSWER = 43\n');
    assert.deepEqual(await shown(notebook, cell), [43, 'run']);
  });

  it('reads modules, functions and instances of their classes that cells of this machine made', async () => {
    const notebook = await notebookWith('Made here', {
      'models.py':
        'class Line:\n    def __init__(self, slope):\n        self.slope = slope\n    def at(self, x):\n        return self.slope * x\n',
    });
    await notebook.add('import models\nfrom models import Line');
    await notebook.add('line = Line(4)');
    await notebook.add('steeper = line\nsteeper.slope += 1');
    const byValue = await notebook.add('# @worker far\nsteeper.at(10)');
    const byName = await notebook.add('# @worker far\n[models.Line(2).at(10), Line(3).at(10)]');
    assert.deepEqual(await shown(notebook, byValue), [50, 'run']);
    assert.deepEqual(await shown(notebook, byName), [[20, 30], 'run']);
  });

  it('is given no file that only a link leads to', async () => {
    const elsewhere = path.join(newHome(), 'elsewhere.py');
    fs.writeFileSync(elsewhere, 'SECRET = 1\n');
    const notebook = await notebookWith('Links', { 'shapes/plain.py': 'SIDES = 4\n' });
    fs.symlinkSync(elsewhere, place(notebook, 'linked.py'));
    fs.symlinkSync(path.dirname(elsewhere), place(notebook, 'folder'));
    const linked = await notebook.add('# @worker far\nimport linked\nlinked.SECRET');
    const below = await notebook.add('# @worker far\nfrom folder import elsewhere\nelsewhere.SECRET');
    assert.match(String(await shown(notebook, linked)), /No module named 'linked'/);
    assert.match(String(await shown(notebook, below)), /No module named 'folder'/);
  });

  it('that fails for a package names all that it would miss next, also when the notebook is opened again', async () => {
    const notebook = await notebookWith('Missing', {});
    const cell = await notebook.add('# @worker far\nimport sklearn\nimport yaml, six_is_not_there');
    const { suggest_install, suggest_install_also } = await notebook.run(cell);
    const also = ['pyyaml', 'six_is_not_there'];
    assert.deepEqual([suggest_install, suggest_install_also], ['scikit-learn', also]);
    await server.rest.post(`/v1/notebooks/${notebook.sessionId}/close`);
    const again = await openTestNotebook(server, notebook.path);
    const kept = await again.cell(cell);
    assert.deepEqual([kept.suggest_install, kept.suggest_install_also], ['scikit-learn', also]);
  });

  it('and one that runs here are told of a module that lies in the notebook’s folder instead', async () => {
    const notebook = await notebookWith('Beside', {});
    fs.writeFileSync(path.join(notebook.path, 'helpers.py'), 'x = 1\n');
    const cell = await notebook.add('import helpers');
    const { error, suggest_install } = await notebook.run(cell);
    const told = "helpers.py lies in the notebook's folder, and cells import from its folder work: move it there.";
    assert.deepEqual([error?.split('\n').at(-1), suggest_install], [told, undefined]);
    assert.equal((await notebook.cell(cell)).suggest_install, null, 'nothing to install, also for whoever comes later');
  });

  it('is refused when what it imports of the notebook is too large to travel', async () => {
    const notebook = await notebookWith('Large', { 'table.py': `ROWS = "${'x'.repeat(5 * 1024 * 1024)}"\n` });
    const cell = await notebook.add('# @worker far\nimport table\nlen(table.ROWS)');
    assert.match(String(await shown(notebook, cell)), /more than 4 MB together; make them a package/);
  });
});
