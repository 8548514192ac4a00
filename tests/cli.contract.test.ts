// What commands on files promise to scripts: flags, exit codes, what lands where, and who writes when a server is at work.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openTestNotebook } from './kit/notebook.ts';
import { newHome, runSvc, startServer } from './kit/server.ts';

let home: string;
let directory: string;
const svc = (...args: string[]) => runSvc(args, { home });

async function json(...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await svc(...args);
  assert.equal(code, 0, `${stdout}${stderr}`);
  return JSON.parse(stdout);
}

before(async () => {
  home = newHome();
  directory = String((await json('new', 'Contract', '--format', 'json')).notebook_dir);
  await json('cell', 'add', directory, '-c', 'print("é" * 400)\nanswer = 42\nanswer', '--run');
});
after(() => fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 }));

const inHome = (name: string): string => path.join(home, name);

describe('what the user must change ends with 2, and touches nothing', () => {
  const cases: [args: string[], said: RegExp][] = [
    [['new', ''], /^error: Notebook name must not be empty/],
    [['run', 'contract', '--format', 'xml'], /^error: --format: human or json\n$/],
    [['run', 'contract', '--timeout', '0'], /^error: --timeout: a number of seconds, more than 0\n$/],
    [['export', 'contract', '--to', 'pdf'], /^error: --to: one of markdown, html, snapshot, zip, ipynb, script\n$/],
    [['export', 'contract', '--max-output-bytes', 'all'], /^error: --max-output-bytes: /],
    [['export', 'contract', '--to', 'snapshot'], /^error: a snapshot needs --out FILE\n$/],
    [['export', 'contract', '--out', 'no/where.md'], /^error: \S+no\/where\.md cannot be written: ENOENT/],
    [['import', 'nothing.ipynb'], /^error: \S+nothing\.ipynb is not a file\n$/],
    [['import', 'contract'], /^error: \S+contract is not a file\n$/],
    [['env', 'gc', '--dir', 'nowhere'], /^error: --dir: \S+nowhere does not exist\n$/],
    [['cell', 'annotate', 'contract', 'zz', '--set', 'a-b=1'], /^error: --set: KEY=VALUE, not a-b=1\n$/],
  ];
  for (const [args, said] of cases) {
    it(args.join(' '), async () => {
      const { code, stdout, stderr } = await svc(...args);
      assert.deepEqual([code, stdout, said.test(stderr)], [2, '', true], stderr);
    });
  }
});

describe('svc run', () => {
  it('ends cells after --timeout, unless they say themselves how long they need', async () => {
    const { notebook_dir } = await json('new', 'Slow', '--format', 'json');
    const slow = String(notebook_dir);
    await json('cell', 'add', slow, '-c', 'import time\ntime.sleep(600)');
    await json('cell', 'add', slow, '-c', '# @timeout 60\nimport time\ntime.sleep(0.3)');
    const { code, stdout } = await svc('run', slow, '--timeout', '0.2', '--format', 'json');
    const [first, second] = JSON.parse(stdout).cells;
    assert.deepEqual([code, first.status, second.status, second.error], [1, 'error', 'ok', undefined]);
    assert.match(first.error, /did not finish within 0\.2 s .* the default timeout of 0\.2 seconds/);
  });
});

describe('svc export', () => {
  it('cuts outputs where it is told to, between characters', async () => {
    const cut = await svc('export', directory, '--max-output-bytes', '101');
    assert.match(cut.stdout, /```text title="stdout"\né{50}\n… \(cut: it is 800 bytes long\)\n/);
    assert.match((await svc('export', directory, '--max-output-bytes', '0')).stdout, /\né{400}\n/);
    assert.doesNotMatch((await svc('export', directory, '--no-console')).stdout, /éé/);
  });

  it('refuses cells that are not there, whatever it writes', async () => {
    const { code, stderr } = await svc('export', directory, '--cells', 'zz');
    assert.deepEqual([code, stderr], [1, 'error: No such cell(s) in this notebook: zz\n']);
  });

  it('tells what a snapshot holds, and leaves no parts behind', async () => {
    const out = inHome('contract.snapshot.zip');
    const told = await svc('export', directory, '--to', 'snapshot', '--include', 'all', '-o', out);
    assert.deepEqual(told, { code: 0, stdout: `${out}: 1 cells, 1 artifacts\n`, stderr: '' });
    assert.deepEqual(
      fs.readdirSync(home).filter((name) => name.endsWith('.part')),
      [],
    );
  });
});

describe('svc import', () => {
  const book = (source: string): string =>
    JSON.stringify({
      cells: [
        { cell_type: 'code', source },
        { cell_type: 'raw', source: 'r' },
      ],
    });

  it('counts what became of everything', async () => {
    fs.writeFileSync(inHome('old.json'), book('%matplotlib inline\n!ls\n1;'));
    const { code, stdout } = await svc('import', 'old.json', '--out', 'counted');
    assert.deepEqual(
      [code, stdout],
      [
        0,
        `imported ${inHome('counted')}
code cells: 1
markdown cells: 0
suppressed outputs: 1
magics translated: 2, dropped: 0
shell commands dropped: 0
dependencies captured: none
skipped cells: 1
warning: old.json was read as a Jupyter notebook.
report: ${inHome('counted/import_report.md')}
`,
      ],
    );
    const again = await svc('import', 'old.json', '--out', 'counted');
    assert.deepEqual(
      [
        again.code,
        /^error: the notebook '.*' already exists in .*; name another place with --out\n$/.test(again.stderr),
      ],
      [2, true],
    );
  });

  it('takes versions from the lists beside the file', async () => {
    fs.mkdirSync(inHome('project'));
    fs.writeFileSync(inHome('project/requirements.txt'), 'six==1.16.0\n# why\nPyYAML\n');
    fs.writeFileSync(inHome('project/pyproject.toml'), '[project]\ndependencies = ["pyyaml>=6", "idna"]\n');
    fs.writeFileSync(inHome('project/book.ipynb'), book('import six, yaml, attr'));
    const { stdout } = await svc('import', 'project/book.ipynb');
    assert.match(stdout, /\ndependencies captured: six==1\.16\.0, pyyaml>=6, idna, attrs\n/);
  });

  it('brings files along that cells name when it is told to, large ones only by name, and follows no link', async () => {
    const folder = inHome('with data');
    fs.mkdirSync(path.join(folder, 'data'), { recursive: true });
    const source =
      'open("data/a.csv"), open("big.bin"), open("data/link.csv"), open("linked/b.csv"), open("none.csv"), open("../old.json")';
    fs.writeFileSync(path.join(folder, 'book.ipynb'), book(source));
    fs.writeFileSync(path.join(folder, 'data/a.csv'), '1,2\n');
    fs.writeFileSync(path.join(folder, 'data/unused.csv'), 'nobody reads it');
    fs.writeFileSync(path.join(folder, 'big.bin'), '');
    fs.truncateSync(path.join(folder, 'big.bin'), 51 * 1024 ** 2);
    fs.writeFileSync(inHome('secret.csv'), 'of somebody else');
    fs.symlinkSync(inHome('secret.csv'), path.join(folder, 'data/link.csv'));
    fs.mkdirSync(inHome('elsewhere'));
    fs.writeFileSync(inHome('elsewhere/b.csv'), 'of somebody else');
    fs.symlinkSync(inHome('elsewhere'), path.join(folder, 'linked'));
    const imported = async (out: string, ...args: string[]) => {
      const { stdout } = await svc('import', path.join(folder, 'book.ipynb'), '--out', out, ...args);
      const work = inHome(`${out}/work`);
      return {
        lines: stdout.split('\n').filter((line) => line.startsWith('files ')),
        files: fs.existsSync(work) ? fs.readdirSync(work, { recursive: true }).map(String).toSorted() : [],
      };
    };
    const missing = 'files not found: ../old.json, data/link.csv, linked/b.csv, none.csv';
    const left = 'files left beside the notebook (--data small or all brings them)';
    assert.deepEqual(await imported('bare'), {
      lines: [`${left}: big.bin (51 MB), data/a.csv (4 B)`, missing],
      files: [],
    });
    assert.deepEqual(await imported('small', '--data', 'small'), {
      lines: ['files brought along: data/a.csv (4 B)', `${left}: big.bin (51 MB)`, missing],
      files: ['data', 'data/a.csv'],
    });
    assert.deepEqual((await imported('whole', '--data', 'all')).files, ['big.bin', 'data', 'data/a.csv']);
    assert.match(
      fs.readFileSync(inHome('small/import_report.md'), 'utf8'),
      /\n## Files that cells name\n\n- `big\.bin` \(51 MB\) lies beside the notebook and was not brought along; named in cell 1\n- `data\/a\.csv` \(4 B\) brought along; named in cell 1\n- `\.\.\/old\.json` was not found/,
    );
    assert.equal((await svc('import', path.join(folder, 'book.ipynb'), '--data', 'some')).code, 2);
  });

  it('puts packages that cannot be installed into the report', async () => {
    fs.writeFileSync(inHome('wanting.ipynb'), book('import no_such_package_anywhere'));
    const { code, stdout } = await svc('import', 'wanting.ipynb', '--check-deps');
    assert.deepEqual([code, /warning: The packages cannot be installed: uv sync failed/.test(stdout)], [0, true]);
    assert.match(fs.readFileSync(inHome('wanting/import_report.md'), 'utf8'), /## Warnings\n\n- `The packages cannot/);
    assert.equal((await svc('validate', 'wanting')).code, 0);
  });

  it('refuses what is neither a snapshot nor a notebook', async () => {
    await svc('export', directory, '--to', 'zip', '--out', inHome('plain.zip'));
    fs.writeFileSync(inHome('list.ipynb'), '[]');
    for (const file of ['plain.zip', 'list.ipynb']) {
      const { code, stdout, stderr } = await svc('import', file, '--out', 'refused');
      assert.deepEqual([code, stdout, /^error: .*\n$/.test(stderr)], [2, '', true], stderr);
    }
    assert.equal(fs.existsSync(inHome('refused')), false);
  });
});

describe('a notebook that a server has open', () => {
  it('is run by that server, and read beside it without taking it away', async () => {
    await using server = await startServer({ env: { SVC_NOTEBOOK_STORAGE_DIR: home } });
    const notebook = await openTestNotebook(server, directory);
    const claimed = fs.readFileSync(path.join(directory, '.svc/open.json'), 'utf8');
    const id = await notebook.add('later = answer + 1');
    const heard = notebook.framesUntil(({ type, payload }) => type === 'cell_status' && payload.cell_id === id);
    const { cells } = await json('run', directory, '--format', 'json');
    await heard;
    assert.deepEqual(
      Object(cells).map(({ id: cell, status }: Record<string, string>) => [cell === id, status]),
      [
        [false, 'ok'],
        [true, 'ok'],
      ],
    );
    assert.equal((await svc('run', directory, '--timeout', '5')).code, 2);
    assert.match((await svc('export', directory)).stdout, /later = answer \+ 1/);
    assert.equal((await svc('validate', directory)).code, 0);
    assert.equal(fs.readFileSync(path.join(directory, '.svc/open.json'), 'utf8'), claimed);
  });
});
