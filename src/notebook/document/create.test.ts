// What a new notebook consists of, and what cannot become one.
import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../testing.ts';
import { createNotebook, deleteNotebook, starterCells } from './index.ts';
import { noon, noonText, readToml } from './testing.ts';

describe('createNotebook', () => {
  it('writes the documented files', async () => {
    await using folder = await temporaryFolder();
    const notebook = await createNotebook(path.join(folder.path, 'new/parent'), {
      name: 'My First NB',
      pythonVersion: '3.13',
      cells: starterCells(),
      now: noon,
    });
    const [cell] = notebook.cells;
    assert.equal(notebook.directory, path.join(folder.path, 'new/parent/my_first_nb'));
    assert.equal(
      await readToml(notebook.directory),
      `notebook_id = "${notebook.id}"
name = "My First NB"
created_at = ${noonText}
updated_at = ${noonText}
cells = [
    { id = "${cell?.id}", file = "${cell?.id}.py", language = "python", order = 0 },
]
workers = []
mounts = []
`,
    );
    assert.deepEqual((await fs.readdir(notebook.directory)).sort(), [
      '.gitignore',
      'cells',
      'notebook.toml',
      'pyproject.toml',
    ]);
    const project = await fs.readFile(path.join(notebook.directory, 'pyproject.toml'), 'utf8');
    assert.match(project, /^\[project\]\nname = "my-first-nb"\n[\s\S]*requires-python = "==3\.13\.\*"\n/);
  });

  it('adopts a directory, never a notebook', async () => {
    await using folder = await temporaryFolder();
    const wanted = { name: 'Nb', pythonVersion: '3.13' };
    await fs.mkdir(path.join(folder.path, 'nb'));
    await fs.writeFile(path.join(folder.path, 'nb/pyproject.toml'), 'mine');
    const made = await Promise.allSettled([createNotebook(folder.path, wanted), createNotebook(folder.path, wanted)]);
    assert.deepEqual(
      made.map((one) => (one.status === 'fulfilled' ? one.value.name : one.reason.message)),
      ['Nb', `A notebook already exists at ${folder.path}/nb. Use Open to open it.`],
    );
    assert.equal(await fs.readFile(path.join(folder.path, 'nb/pyproject.toml'), 'utf8'), 'mine');
  });

  for (const name of [
    '',
    '  ',
    '.',
    '..',
    'a/b',
    'a\\b',
    'a..b',
    'a\0b',
    '.git',
    '\ud800',
    'é'.repeat(200),
    'x'.repeat(256),
  ]) {
    it(`refuses the name ${JSON.stringify(name.slice(0, 10))}`, async () => {
      await using folder = await temporaryFolder();
      await assert.rejects(async () => createNotebook(folder.path, { name, pythonVersion: '3.13' }), {
        kind: 'invalid',
      });
      assert.deepEqual(await fs.readdir(folder.path), []);
    });
  }

  it('does not go through a link', async () => {
    await using folder = await temporaryFolder();
    await fs.symlink('/tmp', path.join(folder.path, 'nb'));
    await assert.rejects(createNotebook(folder.path, { name: 'nb', pythonVersion: '3.13' }), { kind: 'invalid' });
  });
});

describe('deleteNotebook', () => {
  it('removes a notebook, and neither links nor other directories', async () => {
    await using folder = await temporaryFolder();
    const { directory } = await createNotebook(folder.path, { name: 'nb', pythonVersion: '3.13' });
    await fs.symlink(directory, path.join(folder.path, 'link'));
    await fs.mkdir(path.join(folder.path, 'other'));
    await assert.rejects(deleteNotebook(path.join(folder.path, 'link')), { kind: 'invalid' });
    await assert.rejects(deleteNotebook(path.join(folder.path, 'other')), { kind: 'not_found' });
    await deleteNotebook(directory);
    assert.deepEqual((await fs.readdir(folder.path)).sort(), ['link', 'other']);
  });
});
