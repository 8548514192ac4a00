import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { temporaryFolder } from '../testing.ts';
import {
  addCell,
  deleteCell,
  type OutsideChange,
  readNotebook,
  renameNotebook,
  setCellSource,
  watchNotebook,
} from './index.ts';
import { writeNotebook } from './testing.ts';

const toml = 'notebook_id = "n"\n[[cells]]\nid = "a"\nfile = "a.py"\n';

/** Changes as they come, each to be awaited. */
async function watched(directory: string) {
  const changes: OutsideChange[] = [];
  let wake = (): void => {};
  const watch = await watchNotebook(directory, (change) => {
    changes.push(change);
    wake();
  });
  async function next(): Promise<OutsideChange> {
    for (;;) {
      const change = changes.shift();
      if (change !== undefined) return change;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  return { next, changes, [Symbol.dispose]: () => watch.close() };
}

/** The watch sleeps in an idle process; a test that waits for it must not. */
const awake = setInterval(() => {}, 1000);

describe('watchNotebook', () => {
  it('notices writes, replacements, new and removed files', async () => {
    await using folder = await temporaryFolder();
    const directory = await writeNotebook(folder.path, toml, { 'a.py': '1' });
    using watch = await watched(directory);
    const cell = path.join(directory, 'cells/a.py');
    await fs.writeFile(cell, '2');
    assert.deepEqual(await watch.next(), { notebookFile: false, cellFiles: ['a.py'] });
    await fs.writeFile(`${cell}~`, '3');
    await fs.rename(`${cell}~`, cell);
    assert.deepEqual(await watch.next(), { notebookFile: false, cellFiles: ['a.py'] });
    await fs.writeFile(path.join(directory, 'notebook.toml'), `${toml}# more\n`);
    assert.deepEqual(await watch.next(), { notebookFile: true, cellFiles: [] });
    await fs.rm(cell);
    assert.deepEqual(await watch.next(), { notebookFile: false, cellFiles: ['a.py'] });
  });

  it('does not report what this process wrote, nor a touch', async () => {
    await using folder = await temporaryFolder();
    const directory = await writeNotebook(folder.path, toml, { 'a.py': '1' });
    using watch = await watched(directory);
    let notebook = await renameNotebook(await readNotebook(directory), 'Else');
    notebook = await setCellSource(notebook, 'a', '2');
    const added = await addCell(notebook, {}, { cellId: 'b' });
    await deleteCell(added.notebook, 'b');
    await fs.utimes(path.join(directory, 'cells/a.py'), 1, 1);
    await fs.writeFile(path.join(directory, 'cells/last.py'), 'outside');
    assert.deepEqual(await watch.next(), { notebookFile: false, cellFiles: ['last.py'] });
    assert.deepEqual(watch.changes, []);
    // Back to what stood there before our own write: that is a change by others all the same.
    await fs.writeFile(path.join(directory, 'cells/a.py'), '1');
    assert.deepEqual(await watch.next(), { notebookFile: false, cellFiles: ['a.py'] });
  });

  it('deals at once with what was written when it is asked to, told by the system or not', async () => {
    await using folder = await temporaryFolder();
    const directory = await writeNotebook(folder.path, toml, { 'a.py': '1' });
    const changes: OutsideChange[] = [];
    const watch = await watchNotebook(directory, (change) => void changes.push(change), { quietMs: 3_600_000 });
    await fs.writeFile(path.join(directory, 'cells/a.py'), '2');
    await watch.catchUp([]);
    await setCellSource(await readNotebook(directory), 'a', '3');
    await watch.catchUp(['notebook.toml', 'cells/a.py']);
    assert.deepEqual(changes, [{ notebookFile: false, cellFiles: ['a.py'] }]);
    watch.close();
  });

  it('reports a checkout as one change, a replaced cells folder included', async () => {
    await using folder = await temporaryFolder();
    const directory = await writeNotebook(folder.path, toml, { 'a.py': 'one' });
    const git = (...args: string[]) =>
      promisify(execFile)('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: directory });
    await git('init', '-q');
    await git('add', '.');
    await git('commit', '-qm', 'one');
    await fs.rm(path.join(directory, 'cells'), { recursive: true });
    await fs.writeFile(path.join(directory, 'notebook.toml'), 'notebook_id = "n"\n');
    await git('commit', '-qam', 'two');
    using watch = await watched(directory);
    await git('checkout', '-q', 'HEAD~1');
    assert.deepEqual(await watch.next(), { notebookFile: true, cellFiles: ['a.py'] });
    await fs.writeFile(path.join(directory, 'cells/a.py'), 'two');
    assert.deepEqual(await watch.next(), { notebookFile: false, cellFiles: ['a.py'] });
    clearInterval(awake);
  });
});
