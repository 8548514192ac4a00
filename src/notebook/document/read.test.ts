import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../testing.ts';
import { nothingFetched } from './notebook.ts';
import { readNotebook } from './read.ts';
import { writeNotebook } from './testing.ts';

const whole = `notebook_id = "6dec7a3c"
created_at = 2026-11-15 02:48:25.613382+00:00
updated_at = 2026-11-15T04:48:25+02:00
worker = "gpu"
timeout = 30
future = { kept = true }

[env]
FOO = "bar"
N = 5

[ai]
model = "m"
api_key = "k"

[secret_manager]
provider = "infisical"
unknown = "x"

[[mounts]]
name = "d"
uri = "s3://b/p"
options = { anon = true }

[[workers]]
name = "gpu"
backend = "executor"
[workers.config]
url = "http://127.0.0.1:9"

[connections.wh]
driver = "sqlite"
path = "a.db"
[connections.wh.auth]
user = ""
password = "\${PW}"

[connections.bad]
host = "h"

[catalogs.c1]
uri = "u"

[[variant_group]]
group = "clf"
active = "rf"
mode = "odd"

[[cells]]
id = "b"
file = "b.md"
language = "markdown"
order = 2.5

[[cells]]
id = "a"
file = "a.py"
worker = "w"
timeout = 1.5
created_by = "ada"
[cells.env]
X = "1"
[[cells.mounts]]
name = "m"
uri = "file:///m"
mode = "rw"
`;

const bareCell = { language: 'python', order: 0, worker: null, timeout: null, env: {}, mounts: [], createdBy: null };

describe('readNotebook', () => {
  it('reads every key of the schema', async () => {
    await using folder = await temporaryFolder();
    const directory = await writeNotebook(folder.path, whole, {
      'a.py': 'x = 1\r\n',
      'a.test.py': 'def test_x(): ...\n',
      'b.md': '# hi',
    });
    const notebook = await readNotebook(directory);
    assert.deepEqual(JSON.parse(JSON.stringify(notebook)), {
      directory,
      text: whole,
      id: '6dec7a3c',
      name: 'Untitled Notebook',
      createdAt: '2026-11-15T02:48:25.613382+00:00',
      updatedAt: '2026-11-15T02:48:25.000000+00:00',
      worker: 'gpu',
      timeout: 30,
      reactive: false,
      keepsWidgets: false,
      strictPackages: false,
      env: { FOO: 'bar', N: '5' },
      fetched: nothingFetched,
      ai: { model: 'm', base_url: null, api_key: 'k', max_output_tokens: 4096, timeout_seconds: 60 },
      secretManager: { provider: 'infisical' },
      mounts: [{ name: 'd', uri: 's3://b/p', mode: 'ro', pin: null, options: { anon: true }, credential: null }],
      workers: [{ name: 'gpu', backend: 'executor', runtime_id: null, config: { url: 'http://127.0.0.1:9' } }],
      connections: [
        {
          name: 'wh',
          driver: 'sqlite',
          // biome-ignore lint/suspicious/noTemplateCurlyInString: an indirection of the file
          auth: { user: '', password: '${PW}' },
          options: {},
          credential: null,
          extras: { path: 'a.db' },
        },
      ],
      malformedConnections: [
        { name: 'bad', body: { host: 'h' }, error: "connection is missing required 'driver' key" },
      ],
      catalogs: { c1: { uri: 'u' } },
      r: {},
      variantGroups: [{ group: 'clf', active: 'rf', mode: 'odd' }],
      cells: [
        {
          ...bareCell,
          id: 'a',
          file: 'a.py',
          worker: 'w',
          timeout: 1.5,
          env: { X: '1' },
          mounts: [{ name: 'm', uri: 'file:///m', mode: 'rw', pin: null, options: {}, credential: null }],
          createdBy: 'ada',
          updatedBy: null,
          source: 'x = 1\r\n',
          testSource: 'def test_x(): ...\n',
        },
        {
          ...bareCell,
          id: 'b',
          file: 'b.md',
          language: 'markdown',
          order: 2.5,
          updatedBy: null,
          source: '# hi',
          testSource: '',
        },
      ],
      problems: [],
    });
  });

  it('opens a cell empty when its file is missing, a folder or not UTF-8', async () => {
    await using folder = await temporaryFolder();
    const cells = ['gone', 'latin', 'folder'].map((id) => `[[cells]]\nid = "${id}"\nfile = "${id}.py"\n`).join('');
    const directory = await writeNotebook(folder.path, `notebook_id = "x"\n${cells}`);
    await fs.writeFile(path.join(directory, 'cells/latin.py'), Buffer.from([0x78, 0xe9]));
    await fs.writeFile(path.join(directory, 'cells/latin.test.py'), Buffer.from([0xe9]));
    await fs.mkdir(path.join(directory, 'cells/folder.py'));
    const notebook = await readNotebook(directory);
    assert.deepEqual(
      notebook.cells.map(({ id, source }) => [id, source]),
      [
        ['gone', ''],
        ['latin', ''],
        ['folder', ''],
      ],
    );
    assert.deepEqual(
      notebook.problems.map(({ cellId, code, file }) => [cellId, code, file]),
      [
        ['gone', 'source_missing', 'cells/gone.py'],
        ['latin', 'source_not_utf8', 'cells/latin.py'],
        ['latin', 'source_not_utf8', 'cells/latin.test.py'],
        ['folder', 'source_unreadable', 'cells/folder.py'],
      ],
    );
  });

  it('takes the mark before a text for no part of it', async () => {
    await using folder = await temporaryFolder();
    const toml = '\ufeffnotebook_id = "x"\r\n[[cells]]\r\nid = "a"\r\nfile = "a.py"\r\n';
    const directory = await writeNotebook(folder.path, toml);
    await fs.writeFile(path.join(directory, 'cells/a.py'), '\ufeffx = 1\r\n');
    assert.deepEqual(
      (await readNotebook(directory)).cells.map(({ source }) => source),
      ['x = 1\r\n'],
    );
  });

  const refused: [title: string, toml: string, message: string][] = [
    ['a syntax error', 'notebook_id = "x"\nname = oops\n', "notebook.toml, line 2, key 'name': invalid value"],
    ['no id', 'name = "x"\n', "notebook.toml, key 'notebook_id': is required"],
    [
      'a bad enum',
      'notebook_id = "x"\n[[cells]]\nid = "a"\nfile = "a.py"\n\n[[cells]]\nid = "b"\nfile = "b.py"\nlanguage = "perl"\n',
      `notebook.toml, line 9, key 'cells[1].language': Invalid option: expected one of "python"|"markdown"|"sql"|"widget"|"prompt"|"r"|"javascript"`,
    ],
    [
      'a cell twice',
      'notebook_id = "x"\n[[cells]]\nid = "a"\nfile = "a.py"\n[[cells]]\nid = "a"\nfile = "b.py"\n',
      "notebook.toml, line 6, key 'cells[1].id': 'a' is used twice",
    ],
    [
      'a cell whose name leads elsewhere',
      'notebook_id = "x"\n[[cells]]\nid = "../../a"\nfile = "a.py"\n',
      "notebook.toml, line 3, key 'cells[0].id': must be the name of a file: no slashes and no control characters",
    ],
    [
      'a file outside',
      'notebook_id = "x"\n[[cells]]\nid = "a"\nfile = "../../x.py"\n',
      "cell 'a' names a source file outside cells/: '../../x.py'",
    ],
    [
      'a NUL',
      'notebook_id = "x"\n[[cells]]\nid = "a"\nfile = "a\\u0000.py"\n',
      "cell 'a' names a source file outside cells/: 'a\0.py'",
    ],
  ];
  for (const [title, toml, message] of refused) {
    it(`refuses ${title}`, async () => {
      await using folder = await temporaryFolder();
      const directory = await writeNotebook(folder.path, toml);
      await assert.rejects(readNotebook(directory), { name: 'Refusal', kind: 'invalid', message });
    });
  }

  it('refuses links that lead out of cells/', async () => {
    await using folder = await temporaryFolder();
    const directory = await writeNotebook(folder.path, 'notebook_id = "x"\n[[cells]]\nid = "a"\nfile = "a.py"\n');
    const message = "cell 'a' names a source file outside cells/: 'a.py'";
    await fs.symlink('/etc/hostname', path.join(directory, 'cells/a.py'));
    await assert.rejects(readNotebook(directory), { kind: 'invalid', message });
    await fs.rm(path.join(directory, 'cells/a.py'));
    await fs.symlink('/nowhere/at/all', path.join(directory, 'cells/a.py'));
    await assert.rejects(readNotebook(directory), { kind: 'invalid', message });
    await fs.rm(path.join(directory, 'cells'), { recursive: true });
    await fs.symlink('/tmp', path.join(directory, 'cells'));
    await assert.rejects(readNotebook(directory), { kind: 'invalid' });
  });

  it('says what is not there', async () => {
    await using folder = await temporaryFolder();
    await assert.rejects(readNotebook(path.join(folder.path, 'none')), { message: 'Notebook directory not found' });
    await assert.rejects(readNotebook(folder.path), { message: `notebook.toml not found at ${folder.path}` });
    await fs.writeFile(path.join(folder.path, 'notebook.toml'), Buffer.from([0xff]));
    await assert.rejects(readNotebook(folder.path), { kind: 'invalid', message: 'notebook.toml: is not UTF-8 text' });
    await fs.rm(path.join(folder.path, 'notebook.toml'));
    await fs.mkdir(path.join(folder.path, 'notebook.toml'));
    await assert.rejects(readNotebook(folder.path), { kind: 'invalid', message: 'notebook.toml: is a directory' });
  });
});
