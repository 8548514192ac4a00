// Edits of cells: the document word for word, and the files under `cells/`.
import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../testing.ts';
import { addCell, deleteCell, readNotebook, reorderCells, setCellSource, setCellTests } from './index.ts';
import { commented, noon, opened, readToml, touched } from './testing.ts';

describe('cells', () => {
  it('are added after another, halfway, with their author', async () => {
    await using folder = await temporaryFolder();
    const { directory, notebook } = await opened(folder.path);
    const added = await addCell(notebook, { afterCellId: 'a', author: 'bob' }, { now: noon, cellId: 'c' });
    assert.deepEqual(
      added.notebook.cells.map(({ id, order, createdBy, updatedBy }) => [id, order, createdBy, updatedBy]),
      [
        ['a', 0, null, 'ada'],
        ['c', 0.5, 'bob', 'bob'],
        ['b', 1, null, null],
      ],
    );
    assert.equal(
      await readToml(directory),
      touched(commented).replace(
        '# plots',
        '[[cells]]\nid = "c"\nfile = "c.py"\nlanguage = "python"\norder = 0.5\ncreated_by = "bob"\nupdated_by = "bob"\n\n# plots',
      ),
    );
    assert.equal(await fs.readFile(path.join(directory, 'cells/c.py'), 'utf8'), '');
    await assert.rejects(addCell(notebook, { afterCellId: 'zz' }), { message: "after_cell_id 'zz' not found" });
  });

  it('can be put between two cells of one order', async () => {
    await using folder = await temporaryFolder();
    let { notebook } = await opened(folder.path, commented.replaceAll(/order = \d\n/g, ''));
    for (const cellId of ['n1', 'n2', 'n3']) ({ notebook } = await addCell(notebook, { afterCellId: 'a' }, { cellId }));
    assert.deepEqual(
      notebook.cells.map(({ id, order }) => [id, order]),
      [
        ['a', 0],
        ['n3', 0.25],
        ['n2', 0.5],
        ['n1', 1],
        ['b', 2],
      ],
    );
  });

  it('of each language get their file and first text', async () => {
    await using folder = await temporaryFolder();
    let { notebook } = await opened(folder.path, 'notebook_id = "n"\ncells = []\n');
    for (const language of ['python', 'prompt', 'sql', 'markdown', 'r', 'widget'] as const) {
      ({ notebook } = await addCell(notebook, { language }, { cellId: language }));
    }
    assert.deepEqual(
      notebook.cells.map(({ file, order, source }) => [file, order, source]),
      [
        ['python.py', 0, ''],
        ['prompt.py', 1, ''],
        ['sql.py', 2, ''],
        ['markdown.md', 3, ''],
        ['r.r', 4, ''],
        ['widget.widget', 5, 'alpha = slider(0, 1, step=0.01, default=0.5)\n'],
      ],
    );
  });

  it('change their source alone, and who edited last when that changed', async () => {
    await using folder = await temporaryFolder();
    const { directory, notebook } = await opened(folder.path);
    const own = await setCellSource(notebook, 'a', 'x = 2\n', 'ada');
    assert.equal(await readToml(directory), commented);
    const others = await setCellSource(own, 'a', 'x = 3\n', 'bob');
    assert.equal(await readToml(directory), commented.replace('"ada"', '"bob"'));
    assert.deepEqual(others, await readNotebook(directory));
    await assert.rejects(setCellSource(notebook, 'zzz', ''), {
      kind: 'not_found',
      message: 'Cell zzz not found in notebook.toml',
    });
  });

  it('are whole again once a missing source is written', async () => {
    await using folder = await temporaryFolder();
    const { directory } = await opened(folder.path);
    await fs.rm(path.join(directory, 'cells/a.py'));
    const broken = await readNotebook(directory);
    const mended = await setCellSource(broken, 'a', '');
    assert.deepEqual([broken.problems.length, mended.problems], [1, []]);
    assert.deepEqual(mended, await readNotebook(directory));
  });

  it('lose their tests when these are blank', async () => {
    await using folder = await temporaryFolder();
    const { directory, notebook } = await opened(folder.path);
    const tested = await setCellTests(notebook, 'a', 'def test(): ...');
    assert.deepEqual(tested, await readNotebook(directory));
    assert.deepEqual(await setCellTests(tested, 'a', ' \n'), notebook);
    assert.deepEqual(await fs.readdir(path.join(directory, 'cells')), ['a.py', 'b.py']);
  });

  it('are deleted with their comments and files', async () => {
    await using folder = await temporaryFolder();
    const { directory, notebook } = await opened(folder.path);
    const tested = await setCellTests(notebook, 'a', 'def test(): ...');
    const left = await deleteCell(tested, 'a', { now: noon });
    assert.deepEqual(left, await readNotebook(directory));
    const block = commented.slice(commented.indexOf('# loads'), commented.indexOf('# plots'));
    assert.equal(await readToml(directory), touched(commented).replace(block, ''));
    assert.deepEqual(await fs.readdir(path.join(directory, 'cells')), ['b.py']);
    await deleteCell(left, 'b', { now: noon });
    assert.match(await readToml(directory), /future = 1\ncells = \[\]\n\n\[ai\]/);
  });

  it('are reordered without losing one', async () => {
    await using folder = await temporaryFolder();
    const { directory, notebook } = await opened(folder.path);
    const edited = await reorderCells(notebook, ['zz', 'b'], { now: noon });
    assert.deepEqual(
      edited.cells.map(({ id, order }) => [id, order]),
      [
        ['b', 0],
        ['a', 1],
      ],
    );
    const [a, b] = [
      commented.slice(commented.indexOf('# loads'), commented.indexOf('# plots')),
      commented.slice(commented.indexOf('# plots'), commented.indexOf('[ai]')),
    ];
    assert.equal(
      await readToml(directory),
      touched(commented).replace(a + b, b.replace('order = 1', 'order = 0') + a.replace('order = 0', 'order = 1')),
    );
  });

  it('take turns when edits come at once', async () => {
    await using folder = await temporaryFolder();
    const { directory, notebook } = await opened(folder.path);
    await Promise.all(Array.from({ length: 20 }, (_, number) => addCell(notebook, {}, { cellId: `n${number}` })));
    assert.equal((await readNotebook(directory)).cells.length, 22);
  });
});
