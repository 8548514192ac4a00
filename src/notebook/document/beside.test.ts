// Other programs write a notebook's files between the moment when they were read here and the moment when they are written.
import assert from 'node:assert/strict';
import { closeSync, futimesSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as moment } from 'node:timers/promises';
import { Refusal } from '../../errors/index.ts';
import { putKey } from '../../toml/index.ts';
import { temporaryFolder } from '../testing.ts';
import { deleteCell, readNotebook, renameNotebook, setCellSource, setCellTests, setNotebookTimeout } from './index.ts';
import { saveEdit } from './save.ts';
import { readToml, writeNotebook } from './testing.ts';

const toml = 'notebook_id = "n"\nname = "Old"\n[[cells]]\nid = "a"\nfile = "a.py"\norder = 0\n';

async function opened(folder: string) {
  const directory = await writeNotebook(folder, toml, { 'a.py': '1', 'a.test.py': 'read' });
  const file = path.join(directory, 'notebook.toml');
  return {
    directory,
    notebook: await readNotebook(directory),
    /** As another program does it, whole and at once. */
    change: (from: string, to: string) => writeFileSync(file, readFileSync(file, 'utf8').replace(from, to)),
    cell: (name: string) => path.join(directory, 'cells', name),
  };
}

const refusedWith = (detail: object) => (error: unknown) => {
  assert.ok(error instanceof Refusal);
  const { message, ...told } = Object(error.detail);
  assert.deepEqual(told, detail);
  return true;
};

describe('a notebook file that another program writes', () => {
  it('while an edit is being made keeps what both wrote', async () => {
    await using folder = await temporaryFolder();
    const { directory, notebook, change } = await opened(folder.path);
    let edits = 0;
    const edited = await saveEdit(notebook, ({ layout, data }) => {
      edits += 1;
      if (edits <= 3) change(`name = "${data.name}"`, `name = "Theirs ${edits}"`);
      return putKey(layout, [], 'timeout', data.timeout, 7);
    });
    assert.deepEqual([edited.name, edited.timeout], ['Theirs 3', 7]);
    assert.match(await readToml(directory), /name = "Theirs 3"\ntimeout = 7\n/);
  });

  it('before an edit of something else keeps what both wrote', async () => {
    await using folder = await temporaryFolder();
    const { directory, notebook, change } = await opened(folder.path);
    change('"Old"', '"Theirs"');
    const edited = await setNotebookTimeout(notebook, 5);
    assert.deepEqual([edited.name, edited.timeout], ['Theirs', 5]);
    assert.match(await readToml(directory), /name = "Theirs"\ntimeout = 5\.0\n/);
  });

  it('before an edit of the same is left as it is, and both are told', async () => {
    await using folder = await temporaryFolder();
    const { directory, notebook, change } = await opened(folder.path);
    change('"Old"', '"Theirs"');
    await assert.rejects(
      renameNotebook(notebook, 'Ours'),
      refusedWith({ code: 'notebook_changed', key: 'name', theirs: 'Theirs', ours: 'Ours' }),
    );
    assert.match(await readToml(directory), /name = "Theirs"/);
    assert.equal((await renameNotebook(await readNotebook(directory, notebook), 'Ours')).name, 'Ours');
  });

  it('in parts is waited for until it is whole', async () => {
    await using folder = await temporaryFolder();
    const { directory, notebook } = await opened(folder.path);
    const theirs = readFileSync(path.join(directory, 'notebook.toml'), 'utf8').replace('Old', 'Theirs');
    const middle = theirs.indexOf('[[cells]]');
    const descriptor = openSync(path.join(directory, 'notebook.toml'), 'w');
    writeSync(descriptor, theirs.slice(0, middle));
    // However slow this machine is, the first part was written just now.
    const later = Date.now() / 1000 + 60;
    futimesSync(descriptor, later, later);
    const editing = setNotebookTimeout(notebook, 5);
    // Their second part comes when an edit that waits for nothing would have been made.
    await Promise.race([editing, moment(40)]);
    writeSync(descriptor, theirs.slice(middle));
    closeSync(descriptor);
    const edited = await editing;
    assert.deepEqual([edited.name, edited.timeout, edited.cells.map(({ id }) => id)], ['Theirs', 5, ['a']]);
    assert.match(await readToml(directory), /name = "Theirs"\ntimeout = 5\.0\n[\s\S]*\[\[cells\]\]\nid = "a"/);
  });

  it('is told by its key alone where its values may be secrets', async () => {
    await using folder = await temporaryFolder();
    const { notebook, change } = await opened(folder.path);
    change('order = 0', 'order = 0\nenv = { PLACE = "x" }');
    await assert.rejects(deleteCell(notebook, 'a'), refusedWith({ code: 'notebook_changed', key: 'cells.a' }));
  });
});

describe('a cell that another program writes', () => {
  const theirs = { code: 'source_changed', cell_id: 'a', source: 'theirs' };

  it('is not overwritten, nor deleted, unless that is asked for', async () => {
    await using folder = await temporaryFolder();
    const { notebook, cell } = await opened(folder.path);
    writeFileSync(cell('a.py'), 'theirs');
    await assert.rejects(setCellSource(notebook, 'a', 'ours'), refusedWith(theirs));
    await assert.rejects(deleteCell(notebook, 'a'), refusedWith(theirs));
    assert.equal(readFileSync(cell('a.py'), 'utf8'), 'theirs');
    await setCellSource(notebook, 'a', 'ours', null, { force: true });
    assert.equal(readFileSync(cell('a.py'), 'utf8'), 'ours');
  });

  it('keeps its tests too', async () => {
    await using folder = await temporaryFolder();
    const { notebook, cell } = await opened(folder.path);
    writeFileSync(cell('a.test.py'), 'theirs');
    for (const ours of ['ours', '']) await assert.rejects(setCellTests(notebook, 'a', ours), refusedWith(theirs));
    assert.equal(readFileSync(cell('a.test.py'), 'utf8'), 'theirs');
  });
});
