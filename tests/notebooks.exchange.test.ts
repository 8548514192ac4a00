// Notebooks that leave and come: bundles, snapshots with results, pages, and notebooks of other programs.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { fromBuffer, type ZipFile } from 'yauzl';
import { ZipFile as NewZip } from 'yazl';
import { listening } from './kit/listening.ts';
import { createTestNotebook, environmentReady, openTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { jupyterEnvironment } from './kit/notebookEnvironment.ts';
import { startServer, type TestServer } from './kit/server.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server[Symbol.asyncDispose]());

async function download(notebook: TestNotebook, query: string): Promise<{ name: string; bytes: Buffer }> {
  const answer = await fetch(`${server.address}/v1/notebooks/${notebook.sessionId}/export?${query}`);
  assert.equal(answer.status, 200, query);
  const name = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1] ?? '';
  return { name, bytes: Buffer.from(await answer.arrayBuffer()) };
}

async function upload(route: string, file: string, bytes: Buffer | string, fields: Record<string, string> = {}) {
  const form = new FormData();
  form.set('file', new Blob([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)]), file);
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const answer = await fetch(`${server.address}/v1/notebooks/${route}`, { method: 'POST', body: form });
  return { status: answer.status, json: Object(await answer.json()) };
}

function unzipped(bytes: Buffer): Promise<Map<string, string>> {
  return new Promise((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: true }, (error, zip: ZipFile) => {
      if (error) return reject(error);
      const members = new Map<string, string>();
      zip.on('end', () => resolve(members));
      zip.on('entry', (entry) =>
        zip.openReadStream(entry, async (_error, stream) => {
          members.set(entry.fileName, (await buffer(stream)).toString());
          zip.readEntry();
        }),
      );
      zip.readEntry();
    });
  });
}

async function zipped(members: Record<string, string>): Promise<Buffer> {
  const zip = new NewZip();
  for (const [name, text] of Object.entries(members)) zip.addBuffer(Buffer.from(text), name);
  zip.end();
  return buffer(zip.outputStream);
}

async function sampleNotebook(name: string): Promise<TestNotebook> {
  const notebook = await createTestNotebook(server, name);
  await notebook.add('# @name numbers\nx = 20\nprint("made x")');
  await notebook.add('y = x + 22\ny');
  await notebook.add('# @variant v a\nz = y');
  await notebook.add('1 / 0');
  for (const { id } of (await notebook.state()).cells) await notebook.run(id);
  return notebook;
}

describe('a bundle', () => {
  it('holds what is committed, and what the cells hold by digest; twice it is the same', async () => {
    const notebook = await sampleNotebook('Bundle');
    const { name, bytes } = await download(notebook, 'fmt=zip');
    assert.equal(name, 'Bundle.zip');
    const members = await unzipped(bytes);
    const ids = (await notebook.state()).cells.map(({ id }) => `cells/${id}.py`);
    assert.deepEqual(
      [...members.keys()],
      ['.gitignore', ...ids.toSorted(), 'notebook.toml', 'provenance.json', 'pyproject.toml', 'uv.lock'].toSorted(
        (a, b) => (a === 'provenance.json' ? 1 : b === 'provenance.json' ? -1 : a < b ? -1 : 1),
      ),
    );
    const provenance = JSON.parse(members.get('provenance.json') ?? '');
    const [first] = (await notebook.state()).cells;
    assert.deepEqual(
      provenance.cells[first?.id ?? ''].outputs.map((output: { name: string; version: number }) => [
        output.name,
        output.version,
      ]),
      [['x', 1]],
    );
    assert.deepEqual((await download(notebook, 'fmt=zip')).bytes, bytes);
  });
});

describe('an export', () => {
  it('holds plain files of the notebook only', async () => {
    const notebook = await createTestNotebook(server, 'Plain');
    await notebook.add('x = 1');
    const outside = path.join(path.dirname(notebook.path), 'outside.txt');
    await fs.writeFile(outside, 'of somebody else');
    await fs.symlink(outside, path.join(notebook.path, 'README.md'));
    await fs.symlink(outside, path.join(notebook.path, 'cells/leak.py'));
    await fs.mkdir(path.join(notebook.path, 'cells/folder'));
    for (const query of ['fmt=zip', 'fmt=snapshot&include=all']) {
      const members = await unzipped((await download(notebook, query)).bytes);
      assert.deepEqual(
        [...members].filter(([name, text]) => /README|leak|folder/.test(name) || text.includes('somebody else')),
        [],
      );
    }
    for (const format of ['markdown', 'html'])
      assert.doesNotMatch((await download(notebook, `fmt=${format}`)).bytes.toString(), /of somebody else/);
  });
});

describe('a snapshot', () => {
  it('opens elsewhere with everything ready, and running all of it finds all of it', async () => {
    const notebook = await sampleNotebook('Whole');
    const { name, bytes } = await download(notebook, 'fmt=snapshot&include=all');
    assert.equal(name, 'Whole.snapshot.zip');
    const { status, json } = await upload('import-snapshot', 'whole.snapshot.zip', bytes, { name: 'Copy' });
    assert.equal(status, 200, JSON.stringify(json));
    const { imported_artifacts, replaced_notebook_id, by_reference_cells } = json.import_report;
    const original = JSON.parse((await unzipped(bytes)).get('artifacts.json') ?? '').notebook_id;
    assert.equal(imported_artifacts, 2);
    assert.equal(replaced_notebook_id, original);
    assert.deepEqual(by_reference_cells, []);
    const copy = await openTestNotebook(server, json.path);
    assert.notEqual(Object(await copy.state()).notebook_id ?? Object(await copy.state()).id, original);
    const cells = (await copy.state()).cells;
    assert.deepEqual(
      cells.slice(0, 3).map(({ status: found, console_stdout }) => [found, console_stdout]),
      [
        ['ready', 'made x\n'],
        ['ready', ''],
        ['ready', ''],
      ],
    );
    const runs = [];
    for (const { id } of cells.slice(0, 3)) runs.push((await copy.run(id)).cache_hit);
    assert.deepEqual(runs, [true, true, true]);
    assert.equal((await copy.run(await copy.add('z + 1'))).display?.preview, 43);
  });

  it('hands over what was read from files that it does not carry', async () => {
    const notebook = await createTestNotebook(server, 'Reading');
    await fs.mkdir(path.join(notebook.path, 'work'), { recursive: true });
    await fs.writeFile(path.join(notebook.path, 'work/prices.csv'), '12');
    await notebook.run(await notebook.add('price = int(open("prices.csv").read())\nprice'));
    const { bytes } = await download(notebook, 'fmt=snapshot&include=all');
    const { json } = await upload('import-snapshot', 'reading.snapshot.zip', bytes, { name: 'Reading elsewhere' });
    const copy = await openTestNotebook(server, json.path);
    const [cell] = (await copy.state()).cells;
    assert.deepEqual([cell?.status, cell?.display_output?.preview], ['ready', 12]);
  });

  it('describes what it does not carry', async () => {
    const notebook = await sampleNotebook('Described');
    const { bytes } = await download(notebook, 'fmt=snapshot&include=none');
    const { json } = await upload('import-snapshot', 'x.snapshot.zip', bytes, { name: 'Only described' });
    assert.deepEqual([json.import_report.imported_artifacts, json.import_report.by_reference_cells.length], [0, 2]);
    assert.deepEqual(
      json.cells.map(({ status }: { status: string }) => status),
      ['idle', 'idle', 'idle', 'error'],
    );
  });

  it('is refused when it was made to do harm, and leaves nothing behind', async () => {
    const root = path.dirname((await createTestNotebook(server, 'Harm')).path);
    const before = await fs.readdir(root);
    const toml = (file: string): string =>
      `notebook_id = "n"\nname = "N"\n\n[[cells]]\nid = "a"\nfile = "${file}"\nlanguage = "python"\norder = 0\n`;
    const manifest = { format_version: 2, notebook_id: 'n', cells: {}, carried: [], records: {}, results: {} };
    const snapshot = (change: object, members: Record<string, string> = {}): Promise<Buffer> =>
      zipped({
        'notebook.toml': toml('a.py'),
        'cells/a.py': 'x = 1\n',
        'artifacts.json': JSON.stringify({ ...manifest, ...change }),
        ...members,
      });
    const record = {
      id: 'nb_n_cell_a_var_x',
      version: 1,
      provenance_hash: 'k',
      row_count: null,
      byte_size: 1,
      transform_spec: null,
      input_versions: null,
      content_sha256: null,
    };
    const carrying = (change: object): Promise<Buffer> =>
      snapshot({ carried: ['x@v=1'], records: { 'x@v=1': { ...record, ...change } } }, { 'artifacts/x@v=1': '1' });
    /** Another name of the same length, which no honest writer would put there. */
    const renamed = async (name: string): Promise<Buffer> => {
      const placeholder = 'p'.repeat(name.length);
      const bytes = await snapshot({}, { [placeholder]: 'x' });
      return Buffer.from(bytes.toString('latin1').replaceAll(placeholder, name), 'latin1');
    };
    const link = new NewZip();
    link.addBuffer(Buffer.from('/etc/passwd'), 'cells/a.py', { mode: 0o120777 });
    link.end();
    const cases: Record<string, [Buffer, RegExp]> = {
      'a name that leads out': [await renamed('../../../tmp/out.py'), /not a snapshot/],
      'an absolute name': [await renamed('/tmp/out.py'), /not a snapshot/],
      'a link': [await buffer(link.outputStream), /is a link/],
      'a cell outside': [await snapshot({}, { 'notebook.toml': toml('../../x.py') }), /outside cells/],
      'a cell that is missing': [await snapshot({}, { 'notebook.toml': toml('b.py') }), /b\.py/],
      'a result of no shape': [await snapshot({ results: { a: [{}] } }), /malformed/],
      'a result with wrong members': [
        await snapshot({ results: { a: [{ key: 'k', variables: { x: { uri: 7 } }, displays: null }] } }),
        /malformed/,
      ],
      'inputs that are no JSON': [await carrying({ input_versions: '{' }), /malformed/],
      'a console that is too long': [
        await snapshot({}, { 'outputs/a/console.json': ' '.repeat(16 * 1024 ** 2 + 1) }),
        /console\.json is larger than 16777216 bytes/,
      ],
      'a cell that is too long': [
        await snapshot({}, { 'cells/a.py': ' '.repeat(16 * 1024 ** 2 + 1) }),
        /a\.py is larger than 16777216 bytes/,
      ],
      'other bytes than it says': [await carrying({ content_sha256: '0'.repeat(64) }), /not those of its record/],
    };
    for (const [name, [bytes, reason]] of Object.entries(cases)) {
      const { status, json } = await upload('import-snapshot', 'x.zip', bytes, { name: `Harm ${name}` });
      assert.deepEqual([name, status, reason.test(json.detail) ? 'told' : json.detail], [name, 400, 'told']);
    }
    const elsewhere = await upload('import-snapshot', 'x.zip', await carrying({ id: '../../../../outside' }), {
      name: 'Strange id',
    });
    assert.equal(elsewhere.status, 200);
    const added = (await fs.readdir(root)).filter((name) => !before.includes(name));
    assert.deepEqual(added, ['strange_id']);
    assert.deepEqual(
      (await fs.readdir(path.join(root, 'strange_id'))).filter((name) => name.includes('outside')),
      [],
    );
  });

  it('is refused with a reason when it is none, and leaves nothing behind', async () => {
    const manifest = { format_version: 2, notebook_id: 'n', cells: {}, carried: [], records: {} };
    const toml = 'notebook_id = "n"\nname = "N"\ncells = []\n';
    const cases: [string, Buffer, RegExp][] = [
      ['no zip', Buffer.from('hello'), /not a zip/],
      ['no manifest', await zipped({ 'notebook.toml': toml }), /no artifacts\.json/],
      ['no notebook', await zipped({ 'artifacts.json': JSON.stringify(manifest) }), /no notebook\.toml/],
      [
        'an old one',
        await zipped({ 'notebook.toml': toml, 'artifacts.json': JSON.stringify({ ...manifest, format_version: 1 }) }),
        /format 1, .*export it again/,
      ],
      [
        'a newer one',
        await zipped({ 'notebook.toml': toml, 'artifacts.json': JSON.stringify({ ...manifest, format_version: 9 }) }),
        /newer than this server/,
      ],
      ['nonsense', await zipped({ 'notebook.toml': toml, 'artifacts.json': '[]' }), /malformed/],
      [
        'bytes missing',
        await zipped({ 'notebook.toml': toml, 'artifacts.json': JSON.stringify({ ...manifest, carried: ['a@v=1'] }) }),
        /has no record/,
      ],
    ];
    for (const [name, bytes, reason] of cases) {
      const { status, json } = await upload('import-snapshot', 'x.zip', bytes, { name: `Bad ${name}` });
      assert.equal(status, 400, name);
      assert.match(json.detail, reason, name);
    }
    const root = path.dirname((await createTestNotebook(server, 'Root')).path);
    assert.deepEqual(
      (await fs.readdir(root)).filter((name) => name.startsWith('.') || name.startsWith('bad')),
      [],
    );
    const taken = await upload('import-snapshot', 'x.zip', Buffer.from('hello'), { name: 'Root' });
    assert.equal(taken.status, 409);
  });
});

describe('a page', () => {
  it('shows texts, sources, outputs, consoles and errors; as an app only what a reader needs', async () => {
    const notebook = await sampleNotebook('Page');
    const { id } = Object((await notebook.request('POST', '/cells', { language: 'markdown' })).json);
    await notebook.edit(id, '# Findings\n<script>alert(1)</script> [x](javascript:alert(1))');
    const markdown = (await download(notebook, 'fmt=markdown')).bytes.toString();
    assert.match(markdown, /^# Notebook: Page\n\n## numbers\n\n`kind python`\n\n```python\n# @name numbers\nx = 20/);
    assert.match(markdown, /```json title="Output"\n42\n```/);
    assert.match(markdown, /```text title="stdout"\nmade x\n```/);
    assert.match(markdown, /title="Error"\n[\s\S]*ZeroDivisionError/);
    assert.match(markdown, /# Findings\n&lt;script>alert\(1\)&lt;\/script> \[x\]\(unsafe-javascript:/);
    const html = (await download(notebook, 'fmt=html')).bytes.toString();
    assert.ok(!/<script|src="http|href="http/.test(html));
    assert.match(html, /ZeroDivisionError/);
    const app = await download(notebook, 'fmt=markdown&app_view=true');
    assert.equal(app.name, 'page-app.md');
    assert.ok(!app.bytes.toString().includes('x = 20'));
    assert.match(app.bytes.toString(), /42/);
  });

  it('shows what cells printed as a terminal does', async () => {
    const notebook = await createTestNotebook(server, 'Progress');
    const printing = 'print("\\r 50%\\r100%\\n\\033[31mdone\\033[0m")';
    const id = await notebook.add(printing);
    await notebook.run(id);
    assert.equal(
      (await download(notebook, 'fmt=markdown')).bytes.toString(),
      `# Notebook: Progress\n\n## cell 1\n\n\`kind python\`\n\n\`\`\`python\n${printing}\n\`\`\`\n\n` +
        '```text title="stdout"\n100%\ndone\n```\n',
    );
  });

  it('refuses formats and cells that do not exist', async () => {
    const notebook = await createTestNotebook(server, 'Refused');
    const answers = await Promise.all(
      ['fmt=pdf', 'fmt=snapshot&include=some', 'fmt=snapshot&cells=zz'].map((query) =>
        notebook.request('GET', `/export?${query}`),
      ),
    );
    assert.deepEqual(
      answers.map(({ status, json }) => [status, Object(json).detail]),
      [
        [400, "fmt must be one of 'zip', 'markdown', 'html', 'snapshot', 'ipynb', 'script'"],
        [400, "include must be one of 'all', 'selected', 'none'"],
        [400, 'No such cell(s) in this notebook: zz'],
      ],
    );
  });
});

describe('what a cell touched', () => {
  it('stands in every export as on the cell and over REST, without a secret', async (t) => {
    const address = await listening(
      t,
      createServer((_request, response) => response.end('1')),
    );
    const notebook = await createTestNotebook(server, 'Touched');
    await notebook.request('PUT', '/env', { env: { API_KEY: 'hunter2-hunter2' } });
    await fs.mkdir(path.join(notebook.path, 'work'), { recursive: true });
    await fs.writeFile(path.join(notebook.path, 'work/prices.csv'), 'a\n1\n');
    const cell = await notebook.add(
      `# @name asks\nimport os, urllib.request\nrows = open("prices.csv").read()\nurllib.request.urlopen("${address}/?key=" + os.environ["API_KEY"]).read()\nlen(rows)`,
    );
    const plain = await notebook.add('# @name plain\n1 + 1');
    for (const id of [cell, plain]) await notebook.run(id);
    const { effects } = await notebook.cell(cell);
    assert.deepEqual(
      { read: effects?.read, hosts: effects?.hosts, variables: effects?.variables },
      { read: ['work/prices.csv'], hosts: ['127.0.0.1'], variables: ['API_KEY'] },
    );
    const text = async (format: string) => (await download(notebook, `fmt=${format}`)).bytes.toString();
    const [markdown, html, ipynb] = [await text('markdown'), await text('html'), await text('ipynb')];
    const bundle = await unzipped((await download(notebook, 'fmt=zip')).bytes);
    const provenance = bundle.get('provenance.json') ?? '';
    const words = 'This cell read 1 file, asked 1 host';
    const names = ['Read: prices.csv', 'Asked: 127.0.0.1', 'Variables: API_KEY'];
    assert.deepEqual(
      {
        markdown: markdown.split('\n').filter((line) => line.startsWith('>')),
        html: html.match(/<details class="touched">.*?<\/details>/gs),
        ipynb: JSON.parse(ipynb).cells.map(({ metadata }: { metadata: object }) => metadata),
        provenance: JSON.parse(provenance).cells[cell].effects,
      },
      {
        markdown: [`> ${words}.`, ...names.map((line) => `> - ${line}`)],
        html: [
          `<details class="touched"><summary>${words}</summary><ul>${names.map((line) => `<li>${line}</li>`).join('')}</ul></details>`,
        ],
        ipynb: [{ svc: { effects } }, {}],
        provenance: effects,
      },
    );
    assert.deepEqual(
      [markdown, html, ipynb, ...bundle.values()].filter((one) => one.includes('hunter2')),
      [],
    );
    // What a reader of the app sees says nothing of how it came about.
    assert.doesNotMatch(await text('markdown&app_view=true'), /This cell/);
    const back = await upload('import', 'touched back.ipynb', ipynb);
    assert.doesNotMatch(await fs.readFile(path.join(back.json.path, 'jupyter.json'), 'utf8'), /effects/);
  });
});

describe('a notebook of another program', () => {
  it('is brought in with its magics translated, its packages captured and a report', async () => {
    const book = {
      cells: [
        { cell_type: 'markdown', source: ['# Title\n', 'text'] },
        {
          cell_type: 'code',
          source: '%matplotlib inline\n!pip install six\nimport six\nx = six.__name__',
          outputs: [],
        },
        { cell_type: 'code', source: '!ls\nx.upper()' },
        { cell_type: 'raw', source: 'raw' },
      ],
      metadata: { kernelspec: { language: 'python' } },
      nbformat: 4,
    };
    const { status, json } = await upload('import', 'My Book.ipynb', JSON.stringify(book));
    assert.equal(status, 200, JSON.stringify(json));
    assert.deepEqual([json.name, path.basename(json.path)], ['My Book', 'my_book']);
    assert.deepEqual(
      json.cells.map(({ language, source }: Record<string, string>) => [language, source]),
      [
        ['markdown', '# Title\ntext\n'],
        ['python', 'import six\nx = six.__name__\n'],
        ['python', '!ls\nx.upper()\n'],
      ],
    );
    const { report_text, report_path, ...report } = json.import_report;
    assert.deepEqual(report, {
      markdown_cells: 1,
      code_cells: 2,
      suppressed_outputs: 0,
      skipped_cells: ['raw'],
      translated_magics: ['%matplotlib', '!pip install six', '!ls'],
      dropped_magics: [],
      dropped_shells: [],
      ambiguous_names: [],
      captured_deps: ['six'],
      optional_deps: [],
      data_files: [],
      warnings: [],
      findings: [
        { cell_id: json.cells[1].id, line: 1, kind: 'translated', text: '%matplotlib' },
        { cell_id: json.cells[1].id, line: 2, kind: 'translated', text: '!pip install six' },
        { cell_id: json.cells[2].id, line: 1, kind: 'kept', text: '!ls' },
      ],
    });
    assert.match(report_text, /^# Imported from My Book\.ipynb/);
    assert.match(report_text, /\n- `!pip install six` \(cell 2, line 2\)\n/);
    assert.equal(await fs.readFile(report_path, 'utf8'), report_text);
    assert.match(await fs.readFile(path.join(json.path, 'pyproject.toml'), 'utf8'), /"six",/);
  });

  it('takes versions from lists that come with it, and tells which files its cells name', async () => {
    const cells = [{ cell_type: 'code', source: 'import six\nopen("data/a.csv").read() + open("b.csv").read()' }];
    const form = new FormData();
    form.set('file', new Blob([JSON.stringify({ nbformat: 4, cells })]), 'Listed.ipynb');
    form.append('beside', new Blob(['six==1.16.0\n-e .\n']), 'requirements.txt');
    const files = ['data/a.csv', 'unused.csv'].map((place) => ({ path: place, size: 3 }));
    form.set('files', JSON.stringify(files));
    const answer = await fetch(`${server.address}/v1/notebooks/import`, { method: 'POST', body: form });
    const json = Object(await answer.json());
    const { captured_deps, warnings, data_files } = json.import_report;
    const [{ id }] = json.cells;
    assert.deepEqual(
      { captured_deps, warnings, data_files },
      {
        captured_deps: ['six==1.16.0'],
        warnings: ['Not taken from requirements.txt: the line "-e ." was not followed'],
        data_files: [
          { path: 'data/a.csv', size: 3, is_large: false, standing: 'beside', cell_ids: [id] },
          { path: 'b.csv', size: null, is_large: false, standing: 'missing', cell_ids: [id] },
        ],
      },
    );
    const put = (query: string) =>
      fetch(`${server.address}/v1/notebooks/${json.session_id}/files/data/a.csv${query}`, {
        method: 'PUT',
        body: 'one',
      });
    assert.deepEqual([(await put('')).status, (await put('?parents=true')).status], [404, 200]);
    assert.equal(await fs.readFile(path.join(json.path, 'work/data/a.csv'), 'utf8'), 'one');

    const refused = async (name: string, value: Blob | string, file?: string) => {
      const bad = new FormData();
      bad.set('file', new Blob(['{"cells": []}']), 'Bad.ipynb');
      if (typeof value === 'string') bad.set(name, value);
      else bad.set(name, value, file);
      return (await fetch(`${server.address}/v1/notebooks/import`, { method: 'POST', body: bad })).status;
    };
    assert.deepEqual(
      [await refused('beside', new Blob(['x']), '../notes.txt'), await refused('files', '{"path": 1}')],
      [422, 422],
    );
  });

  it('goes out as a script that runs in plain Python, in its own order, IPython’s lines and await included', async (t) => {
    const cells = [
      'import sys\nsys.path.append("lib")',
      'import asyncio\nword = await asyncio.sleep(0, "slept")',
      'names = !echo one',
      'display(word)\nprint(names, "lib" in sys.path)',
    ];
    const source = cells.map((text) => ({ cell_type: 'code', source: text, metadata: {}, outputs: [] }));
    const { json } = await upload('import', 'Away.ipynb', JSON.stringify({ nbformat: 4, metadata: {}, cells: source }));
    const notebook = await openTestNotebook(server, json.path);
    const script = (await download(notebook, 'fmt=script')).bytes.toString();
    const places = ['sys.path.append', 'await asyncio', '!echo', 'print(names'].map((word) => script.indexOf(word));
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    );
    const python = await jupyterEnvironment(t);
    if (python === undefined) return;
    const { stdout, stderr } = spawnSync(python, ['-'], { input: script, encoding: 'utf8' });
    assert.match(stdout, /slept'?\n\['one'\] True\n/, stderr);
  });

  it('may be a script, and goes back as a notebook or a script', async () => {
    const { json } = await upload('import', 'steps.py', '# %% [markdown]\n# # Steps\n# %%\na = 1\n# %%\na + 1\n');
    const notebook = await openTestNotebook(server, json.path);
    assert.deepEqual(
      json.cells.map(({ language }: { language: string }) => language),
      ['markdown', 'python', 'python'],
    );
    const script = (await download(notebook, 'fmt=script')).bytes.toString();
    const [, first, second] = json.cells.map(({ id }: { id: string }) => id);
    assert.equal(script, `# steps\n\n# %% [markdown]\n# # Steps\n\n# %% ${first}\na = 1\n\n# %% ${second}\na + 1\n`);
    const jupyter = JSON.parse((await download(notebook, 'fmt=ipynb')).bytes.toString());
    assert.deepEqual(
      jupyter.cells.map(({ cell_type, source }: Record<string, string>) => [cell_type, source]),
      [
        ['markdown', '# Steps'],
        ['code', 'a = 1'],
        ['code', 'a + 1'],
      ],
    );
  });

  it('keeps what its cells showed, marked, until they run here; what goes back is what came', async () => {
    const plot = { data: [{ type: 'bar', y: [1] }], layout: {} };
    const outputs = [
      { output_type: 'stream', name: 'stdout', text: ['one\n', 'two\n'] },
      {
        output_type: 'execute_result',
        execution_count: 3,
        metadata: {},
        data: { 'application/vnd.plotly.v1+json': plot, 'text/html': ['<b>', 'x</b>'], 'text/plain': ['x'] },
      },
      { output_type: 'display_data', metadata: {}, data: { 'image/png': 'aGVsbG8=\n', 'text/plain': '<Figure>' } },
      { output_type: 'error', ename: 'KeyError', evalue: "'a'", traceback: ['\u001b[31mKeyError\u001b[0m: a'] },
    ];
    const shown = { cell_type: 'code', source: 'x = 1\nx', outputs, metadata: {}, execution_count: 3 };
    const attachments = { 'a.png': { 'image/png': 'aGVsbG8=' } };
    const text = { cell_type: 'markdown', source: '![a](attachment:a.png)', attachments, metadata: {} };
    const { status, json } = await upload(
      'import',
      'shown.ipynb',
      JSON.stringify({ nbformat: 4, cells: [text, shown] }),
    );
    assert.equal(status, 200, JSON.stringify(json));
    const notebook = await openTestNotebook(server, json.path);
    await environmentReady(notebook);
    const [picture, cell] = (await notebook.state()).cells;
    assert.equal(picture?.source, '![a](data:image/png;base64,aGVsbG8=)\n');
    assert.deepEqual(
      [cell?.status, cell?.console_stdout, cell?.console_stderr, cell?.imported_outputs],
      ['idle', 'one\ntwo\n', 'KeyError: a\n', true],
    );
    assert.deepEqual(
      cell?.display_outputs.map(({ content_type, inline_text, inline_data_url }) => [
        content_type,
        inline_text ?? inline_data_url,
      ]),
      [
        ['application/vnd.plotly.v1+json', JSON.stringify(plot)],
        ['image/png', 'data:image/png;base64,aGVsbG8='],
      ],
    );
    const back = JSON.parse((await download(notebook, 'fmt=ipynb')).bytes.toString());
    assert.deepEqual(back.cells[1].outputs, outputs);
    await notebook.run(cell?.id ?? '');
    const after = await notebook.cell(cell?.id ?? '');
    assert.deepEqual([after.display_output?.preview, after.console_stdout, after.imported_outputs], [1, '', undefined]);
  });

  it('goes back with what only Jupyter knows: kernel, metadata, tags, attachments, numbers of runs, raw cells', async () => {
    const attachments = { 'a.png': { 'image/png': 'aGVsbG8=' } };
    const printed = [{ output_type: 'stream', name: 'stdout', text: 'three\n' }];
    const book = {
      nbformat: 4,
      nbformat_minor: 5,
      metadata: {
        kernelspec: { display_name: 'Python 3.11 (lab)', language: 'python', name: 'lab' },
        language_info: { name: 'python', version: '3.11.4', pygments_lexer: 'ipython3' },
        title: 'Findings',
        celltoolbar: 'Tags',
        authors: [{ name: 'Ada' }],
      },
      cells: [
        { cell_type: 'raw', id: 'front', metadata: { format: 'text/restructuredtext' }, source: ':orphan:' },
        {
          cell_type: 'markdown',
          id: 'text',
          metadata: { slideshow: { slide_type: 'slide' } },
          attachments,
          source: '![a](attachment:a.png)',
        },
        {
          cell_type: 'code',
          id: 'setup',
          metadata: { tags: ['parameters'] },
          execution_count: 3,
          outputs: [],
          source: '%matplotlib inline\nn = 3',
        },
        { cell_type: 'raw', id: 'break', metadata: {}, source: 'a raw one' },
        {
          cell_type: 'code',
          id: 'shown',
          metadata: { collapsed: true, unknown: { deep: [1, null] } },
          execution_count: 7,
          outputs: printed,
          source: 'print("three" * (n // 3))',
        },
        { cell_type: 'code', id: 'never-run', metadata: {}, execution_count: null, outputs: [], source: 'n + 1' },
      ],
    };
    const { status, json } = await upload('import', 'from jupyter.ipynb', JSON.stringify(book));
    assert.equal(status, 200, JSON.stringify(json));
    const notebook = await openTestNotebook(server, json.path);
    await environmentReady(notebook);
    const back = async () => JSON.parse((await download(notebook, 'fmt=ipynb')).bytes.toString());
    assert.deepEqual(await back(), book);

    // It lies with the notebook, not with what was opened of it.
    await notebook.request('POST', '/close');
    const again = await openTestNotebook(server, json.path);
    assert.deepEqual(JSON.parse((await download(again, 'fmt=ipynb')).bytes.toString()), book);

    // What is written and run here is of here; the rest stays.
    const [text, setup, shown] = (await again.state()).cells.map(({ id }) => id);
    await again.edit(text ?? '', `Look: ${(await again.cell(text ?? '')).source}`);
    await again.edit(setup ?? '', 'n = 6\n');
    await again.run(setup ?? '');
    await again.run(shown ?? '');
    const after = JSON.parse((await download(again, 'fmt=ipynb')).bytes.toString());
    assert.deepEqual(after, {
      ...book,
      cells: book.cells.map((cell) => ({
        ...cell,
        ...(cell.id === 'text' ? { source: 'Look: ![a](attachment:a.png)' } : {}),
        ...(cell.id === 'setup' ? { source: 'n = 6', execution_count: null } : {}),
        ...(cell.id === 'shown'
          ? { execution_count: null, outputs: [{ output_type: 'stream', name: 'stdout', text: 'threethree\n' }] }
          : {}),
      })),
    });
  });

  it('of R goes back to R, as long as R knows all of its cells', async () => {
    const kernel = { kernelspec: { display_name: 'R', language: 'R', name: 'ir' }, language_info: { name: 'R' } };
    const cell = { cell_type: 'code', id: 'first', metadata: {}, execution_count: 1, outputs: [], source: 'x <- 1' };
    const book = { nbformat: 4, nbformat_minor: 5, metadata: kernel, cells: [cell] };
    const { json } = await upload('import', 'in r.ipynb', JSON.stringify(book));
    const notebook = await openTestNotebook(server, json.path);
    const back = async () => JSON.parse((await download(notebook, 'fmt=ipynb')).bytes.toString());
    assert.deepEqual(await back(), { ...book, metadata: { title: 'in r', ...kernel } });
    await notebook.add('y = 2');
    const mixed = await back();
    assert.deepEqual(
      [mixed.metadata.kernelspec.name, mixed.cells.map(({ source }: { source: string }) => source)],
      ['python3', ['%%R\nx <- 1', 'y = 2']],
    );
  });

  it('comes back from Jupyter as it went: languages that Jupyter does not have are kept', async () => {
    const notebook = await createTestNotebook(server, 'Languages');
    const sources = {
      sql: '# @sql connection=db\nSELECT 1\n',
      r: 'x <- 1\n',
      prompt: 'Say {{ x }}\n',
      widget: 'n = slider(1, 9)\n',
    };
    for (const [language, source] of Object.entries(sources))
      await notebook.request('POST', '/cells', { language, source });
    const { bytes } = await download(notebook, 'fmt=ipynb');
    const { json } = await upload('import', 'languages back.ipynb', bytes);
    const kept = (cells: readonly { language: string; source: string }[]) =>
      cells.map(({ language, source }) => [language, source.trim()]).toSorted();
    assert.deepEqual(kept(json.cells), kept((await notebook.state()).cells));
    assert.deepEqual(json.import_report.skipped_cells, []);
  });

  it('is refused when it cannot be read', async () => {
    const answers = await Promise.all(
      ['', '{', '[]', '{"cells": 3}'].map((text, at) => upload('import', `bad${at}.ipynb`, text)),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [400, 400, 400, 400],
    );
    assert.match(answers[2]?.json.detail, /expected JSON object at top level, got list/);
    assert.equal((await upload('import', 'empty.ipynb', '{}')).status, 200);
  });
});

describe('a form without a file', () => {
  for (const route of ['import', 'import-snapshot'])
    it(`is refused by ${route} as what does not fit its schema`, async () => {
      const form = new FormData();
      form.set('name', 'Nothing');
      const answer = await fetch(`${server.address}/v1/notebooks/${route}`, { method: 'POST', body: form });
      assert.deepEqual(
        [answer.status, await answer.json()],
        [422, { detail: [{ type: 'missing', loc: ['body', 'file'], msg: 'Field required' }] }],
      );
    });
});
