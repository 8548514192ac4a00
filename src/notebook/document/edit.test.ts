// Edits through files: what the document reads before and after, word for word.
import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../testing.ts';
import {
  addCell,
  createNotebook,
  deleteCell,
  readNotebook,
  renameNotebook,
  reorderCells,
  setCatalogs,
  setCellKeys,
  setCellSource,
  setCellTests,
  setConnections,
  setEnv,
  setMounts,
  setNotebookTimeout,
  setSecretManager,
  setVariantGroup,
  setWorkers,
} from './index.ts';
import { noon, noonText, readToml, writeNotebook } from './testing.ts';

const now = noon;

const start = `# ours
notebook_id = "n" # id
name = "Old"
updated_at = 2026-01-01 00:00:00+00:00
future = 1

# loads
[[cells]]
id = "a"
file = "a.py"
order = 0
updated_by = "ada"
colour = "red" # unknown

# plots
[[cells]]
id = "b"
file = "b.py"
order = 1

[ai]
api_key = "kept"
`;
const cells = { 'a.py': 'x = 1\n', 'b.py': 'x\n' };
const touched = (text: string): string => text.replace('2026-01-01 00:00:00+00:00', noonText);

async function opened(folder: string, toml = start) {
  const directory = await writeNotebook(folder, toml, cells);
  return { directory, notebook: await readNotebook(directory) };
}

describe('edits of the notebook file', () => {
  it('change their own line and the time', async () => {
    await using folder = await temporaryFolder();
    const { directory, notebook } = await opened(folder.path);
    const renamed = await renameNotebook(notebook, ' New ', { now });
    assert.deepEqual(renamed, { ...notebook, name: 'New', updatedAt: '2026-11-15T12:00:00.000001+00:00' });
    assert.equal(await readToml(directory), touched(start).replace('"Old"', '"New"'));
    await setNotebookTimeout(renamed, 30, { now });
    assert.match(await readToml(directory), /\nfuture = 1\ntimeout = 30\.0\n\n# loads/);
  });

  it('that change nothing write nothing', async () => {
    await using folder = await temporaryFolder();
    const { directory, notebook } = await opened(folder.path);
    const before = await fs.stat(path.join(directory, 'notebook.toml'));
    await renameNotebook(notebook, 'Old');
    await reorderCells(notebook, ['a', 'b']);
    await setCellKeys(notebook, 'a', { worker: null, env: {} });
    await setEnv(notebook, {});
    await setMounts(notebook, []);
    assert.equal((await fs.stat(path.join(directory, 'notebook.toml'))).ino, before.ino);
  });

  it('keep line ends and byte order mark', async () => {
    await using folder = await temporaryFolder();
    const windows = (text: string): string => `\ufeff${text.replaceAll('\n', '\r\n')}`;
    const { directory, notebook } = await opened(folder.path, windows(start));
    await setNotebookTimeout(notebook, 0.5, { now });
    assert.equal(
      await readToml(directory),
      windows(touched(start).replace('future = 1\n', 'future = 1\ntimeout = 0.5\n')),
    );
  });

  it('leave secrets in memory and blank on disk', async () => {
    await using folder = await temporaryFolder();
    const { directory, notebook } = await opened(folder.path);
    const env = { PLAIN: 'v', API_KEY: 's3cret', EMPTY: '' };
    const edited = await setEnv(notebook, env, { now });
    assert.deepEqual(edited.env, env);
    assert.equal(await readToml(directory), `${touched(start)}\n[env]\nAPI_KEY = ""\nEMPTY = ""\nPLAIN = "v"\n`);
    assert.deepEqual((await renameNotebook(edited, 'Else', { now })).env, env);
    assert.deepEqual((await readNotebook(directory, edited)).env, env);
    assert.deepEqual((await readNotebook(directory)).env, { API_KEY: '', EMPTY: '', PLAIN: 'v' });
    const secretOnly = await setEnv(edited, { API_KEY: 'x' }, { now });
    assert.deepEqual([secretOnly.env, (await readToml(directory)).includes('[env]')], [{ API_KEY: 'x' }, false]);
  });

  it('blank a secret that was written by hand', async () => {
    await using folder = await temporaryFolder();
    const secret = `${start}[env]\nTOKEN = "t"\nA = "1"\n[connections.c]\ndriver = "sqlite"\nauth = { password = "p" }\n`;
    const withCell = secret.replace('order = 0', 'order = 0\nenv = { DB_PASSWORD = "q", B = "2" }');
    const { directory, notebook } = await opened(folder.path, withCell);
    const edited = await renameNotebook(notebook, 'New', { now });
    const text = await readToml(directory);
    assert.deepEqual([text.includes('"t"'), text.includes('"p"'), text.includes('"q"')], [false, false, false]);
    assert.deepEqual(
      [edited.env, edited.connections[0]?.auth, edited.cells[0]?.env],
      [{ TOKEN: 't', A: '1' }, { password: 'p' }, { DB_PASSWORD: 'q', B: '2' }],
    );
  });

  it('write lists in their documented form', async () => {
    await using folder = await temporaryFolder();
    const { directory, notebook } = await opened(
      folder.path,
      'notebook_id = "n"\ncells = []\nworkers = []\nmounts = []\n',
    );
    const gpu = {
      name: 'gpu',
      backend: 'executor',
      runtime_id: null,
      config: { url: 'http://h', token: null },
    } as const;
    const mount = {
      name: 'd',
      uri: 's3://b/p',
      mode: 'ro',
      pin: null,
      options: { anon: true },
      credential: null,
    } as const;
    let edited = await setWorkers(notebook, [gpu], { now });
    edited = await setMounts(edited, [mount, { ...mount, name: 'e', options: {}, pin: 'v1' }], { now });
    edited = await setVariantGroup(edited, 'clf', { active: 'rf' }, { now });
    edited = await setVariantGroup(edited, 'clf', { mode: 'sweep' }, { now });
    assert.equal(
      await readToml(directory),
      `notebook_id = "n"
cells = []
updated_at = ${noonText}

[[workers]]
name = "gpu"
backend = "executor"

[workers.config]
url = "http://h"

[[mounts]]
name = "d"
uri = "s3://b/p"
mode = "ro"

[mounts.options]
anon = true

[[mounts]]
name = "e"
uri = "s3://b/p"
mode = "ro"
pin = "v1"

[[variant_group]]
group = "clf"
active = "rf"
mode = "sweep"
`,
    );
    edited = await setMounts(await setWorkers(edited, [], { now }), [{ ...mount, options: {} }], { now });
    assert.deepEqual([edited.workers, edited.mounts], [[], [{ ...mount, options: {} }]]);
  });

  it('keep malformed connections word for word', async () => {
    await using folder = await temporaryFolder();
    const bad = '[connections.bad] # odd\nhost = "h"\n';
    const { directory, notebook } = await opened(folder.path, `notebook_id = "n"\n${bad}`);
    const wh = {
      name: 'wh',
      driver: 'sqlite',
      auth: { user: 'u' },
      options: { timeout: 3 },
      credential: null,
      extras: { path: 'a' },
    };
    const edited = await setConnections(notebook, [wh], { now });
    assert.deepEqual(edited.connections, [wh]);
    assert.equal(
      await readToml(directory),
      `notebook_id = "n"\nupdated_at = ${noonText}\n${bad}\n[connections.wh]\ndriver = "sqlite"\npath = "a"\n\n[connections.wh.auth]\nuser = ""\n\n[connections.wh.options]\ntimeout = 3\n`,
    );
    const none = await setConnections(edited, [], { now });
    assert.deepEqual([none.connections, none.malformedConnections], [[], notebook.malformedConnections]);
  });

  it('drop unknown keys of the secret manager and set catalogs', async () => {
    await using folder = await temporaryFolder();
    const { notebook } = await opened(folder.path, 'notebook_id = "n"\n[secret_manager]\nprovider = "p"\nodd = 1\n');
    const edited = await setSecretManager(notebook, { provider: 'infisical', path: '/' });
    assert.deepEqual(edited.secretManager, { provider: 'infisical', path: '/' });
    const bare = await setSecretManager(await setCatalogs(edited, { c: { uri: 'u', n: 1.5 } }), {});
    assert.deepEqual(JSON.parse(JSON.stringify([bare.secretManager, bare.catalogs])), [
      {},
      { c: { uri: 'u', n: 1.5 } },
    ]);
  });

  it('refuse what could not be used, before anything is written', async () => {
    await using folder = await temporaryFolder();
    const { directory, notebook } = await opened(folder.path);
    const mount = { name: 'd', uri: 'ftp://x', mode: 'ro', pin: null, options: {}, credential: null } as const;
    assert.throws(() => setMounts(notebook, [mount]), { kind: 'invalid', message: /scheme 'ftp'/ });
    const file = { ...mount, uri: 'file:///a' };
    assert.throws(() => setMounts(notebook, [file, file]), { kind: 'invalid', message: "duplicate mount name 'd'" });
    await assert.rejects(setEnv(notebook, { A: '\ud800' }), { kind: 'invalid', message: /surrogate/ });
    assert.throws(() => renameNotebook(notebook, '..'), { kind: 'invalid' });
    assert.equal(await readToml(directory), start);
  });
});

describe('cells', () => {
  it('are added after another, halfway, with their author', async () => {
    await using folder = await temporaryFolder();
    const { directory, notebook } = await opened(folder.path);
    const added = await addCell(notebook, { afterCellId: 'a', author: 'bob' }, { now, cellId: 'c' });
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
      touched(start).replace(
        '# plots',
        '[[cells]]\nid = "c"\nfile = "c.py"\nlanguage = "python"\norder = 0.5\ncreated_by = "bob"\nupdated_by = "bob"\n\n# plots',
      ),
    );
    assert.equal(await fs.readFile(path.join(directory, 'cells/c.py'), 'utf8'), '');
    await assert.rejects(addCell(notebook, { afterCellId: 'zz' }), { message: "after_cell_id 'zz' not found" });
  });

  it('can be put between two neighbours for ever', async () => {
    await using folder = await temporaryFolder();
    let { notebook } = await opened(folder.path);
    const ids = Array.from({ length: 80 }, (_, number) => `n${number}`);
    for (const cellId of ids) ({ notebook } = await addCell(notebook, { afterCellId: 'a' }, { cellId }));
    assert.deepEqual(
      notebook.cells.map(({ id }) => id),
      ['a', ...ids.reverse(), 'b'],
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
    assert.equal(await readToml(directory), start);
    const others = await setCellSource(own, 'a', 'x = 3\n', 'bob');
    assert.equal(await readToml(directory), start.replace('"ada"', '"bob"'));
    assert.deepEqual(others, await readNotebook(directory));
    await assert.rejects(setCellSource(notebook, 'zzz', ''), {
      kind: 'not_found',
      message: 'Cell zzz not found in notebook.toml',
    });
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
    const left = await deleteCell(tested, 'a', { now });
    assert.deepEqual(left, await readNotebook(directory));
    const block = start.slice(start.indexOf('# loads'), start.indexOf('# plots'));
    assert.equal(await readToml(directory), touched(start).replace(block, ''));
    assert.deepEqual(await fs.readdir(path.join(directory, 'cells')), ['b.py']);
    await deleteCell(left, 'b', { now });
    assert.match(await readToml(directory), /future = 1\ncells = \[\]\n\n\[ai\]/);
  });

  it('are reordered without losing one', async () => {
    await using folder = await temporaryFolder();
    const { directory, notebook } = await opened(folder.path);
    const edited = await reorderCells(notebook, ['zz', 'b'], { now });
    assert.deepEqual(
      edited.cells.map(({ id, order }) => [id, order]),
      [
        ['b', 0],
        ['a', 1],
      ],
    );
    const [a, b] = [
      start.slice(start.indexOf('# loads'), start.indexOf('# plots')),
      start.slice(start.indexOf('# plots'), start.indexOf('[ai]')),
    ];
    assert.equal(
      await readToml(directory),
      touched(start).replace(a + b, b.replace('order = 1', 'order = 0') + a.replace('order = 0', 'order = 1')),
    );
  });

  it('take turns when edits come at once', async () => {
    await using folder = await temporaryFolder();
    const { directory, notebook } = await opened(folder.path);
    await Promise.all(Array.from({ length: 20 }, (_, number) => addCell(notebook, {}, { cellId: `n${number}` })));
    assert.equal((await readNotebook(directory)).cells.length, 22);
  });
});

describe('createNotebook', () => {
  it('writes the documented files', async () => {
    await using folder = await temporaryFolder();
    const notebook = await createNotebook(path.join(folder.path, 'new/parent'), {
      name: 'My First NB',
      pythonVersion: '3.13',
      starterCell: true,
      now,
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
