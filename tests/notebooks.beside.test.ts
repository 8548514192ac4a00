// Other programs write a notebook's files while a server has it open: what they wrote a moment before a run is what runs, and
// what they wrote a moment before an edit survives it, or the edit is refused with their text.
import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as moment } from 'node:timers/promises';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { createRandom } from './kit/random.ts';
import { runSvc, startServer, type TestServer } from './kit/server.ts';

const random = createRandom(console.log);
const rounds = 25;
/** The server hears of a change and waits until the files are quiet: anything may happen within these. */
const delay = (): Promise<unknown> => moment(random.below(100));

let server: TestServer;
let notebook: TestNotebook;
before(async () => {
  server = await startServer();
  notebook = await createTestNotebook(server, 'Beside');
});
after(() => server?.[Symbol.asyncDispose]());

const fileOf = (cell: string): string => path.join(notebook.path, 'cells', `${cell}.py`);

/** As editors do it: the new text takes the place of the old one, or is written into it. */
async function save(file: string, text: string): Promise<void> {
  if (random.next() < 0.5) return fs.writeFile(file, text);
  await fs.writeFile(`${file}~`, text);
  return fs.rename(`${file}~`, file);
}

describe('beside a server that has the notebook open', () => {
  it('a run over REST runs what was saved right before, in the cell and above it', async () => {
    const [above, below] = [await notebook.add('a = 0'), await notebook.add('b = 0\n[a, b]')];
    await notebook.run(below);
    for (let round = 1; round <= rounds; round += 1) {
      const [isAbove, text] = [random.next() < 0.5, String(1000 + round)];
      const [a, b] = isAbove ? [text, '0'] : ['0', text];
      await save(fileOf(above), `a = ${a}`);
      await save(fileOf(below), `b = ${b}\n[a, b]`);
      await delay();
      const { display } = await notebook.run(below);
      assert.deepEqual(display?.preview, [Number(a), Number(b)], `round ${round}`);
    }
  });

  it('a run over a socket runs what was saved right before', async () => {
    const cell = await notebook.add('print(0)');
    for (let round = 1; round <= rounds; round += 1) {
      await save(fileOf(cell), `print(${round})`);
      await delay();
      const frames = notebook.framesUntil(({ type, payload }) => type === 'cell_output' && payload.cell_id === cell);
      notebook.socket.send(round % 2 === 0 ? 'cell_execute' : 'cell_execute_force', { cell_id: cell });
      const output = (await frames).findLast(({ type }) => type === 'cell_output');
      assert.equal(output?.payload.stdout, `${round}\n`);
    }
  });

  it('tests are those that were saved right before, of the text that was', async () => {
    const cell = await notebook.add('t = 0');
    const tests = path.join(notebook.path, 'cells', `${cell}.test.py`);
    for (let round = 1; round <= 5; round += 1) {
      await save(tests, `def test_${round}(cell):\n    assert cell.t == ${round}\n`);
      await save(fileOf(cell), `t = ${round}`);
      await delay();
      const { json } = await notebook.request('POST', `/cells/${cell}/tests`);
      assert.deepEqual(
        Object(json).tests.map(({ name, outcome }: Record<string, string>) => [name, outcome]),
        [[`test_${round}`, 'passed']],
      );
    }
  });

  it('svc runs what was saved right before, and a cell that was added right before', async () => {
    const cell = await notebook.add('print(0)');
    const added = 'made0001';
    await save(fileOf(cell), 'print("saved")');
    await save(fileOf(added), 'print("added")');
    const toml = path.join(notebook.path, 'notebook.toml');
    const before = await fs.readFile(toml, 'utf8');
    await save(toml, `${before}\n[[cells]]\nid = "${added}"\nfile = "${added}.py"\norder = 99\n`);
    const ran = await notebook.run(added);
    assert.deepEqual([ran.error, ran.stdout], [null, 'added\n']);
    const { stdout } = await runSvc(['cell', 'run', notebook.path, cell, '--format', 'json'], { home: server.home });
    assert.match(stdout, /saved/);
  });

  it('a setting over REST and one written to notebook.toml both stay', async () => {
    const toml = path.join(notebook.path, 'notebook.toml');
    for (let round = 1; round <= rounds; round += 1) {
      const text = (await fs.readFile(toml, 'utf8')).replace(/^name = .*$/m, `name = "Theirs ${round}"`);
      await save(toml, text);
      await delay();
      const answer = await notebook.request('PUT', '/timeout', { timeout: 100 + round });
      assert.equal(answer.status, 200, answer.text);
      const written = await fs.readFile(toml, 'utf8');
      assert.deepEqual(
        [/^name = .*$/m.exec(written)?.[0], /^timeout = .*$/m.exec(written)?.[0]],
        [`name = "Theirs ${round}"`, `timeout = ${100 + round}.0`],
      );
      const { name, timeout } = await notebook.state();
      assert.deepEqual([name, timeout], [`Theirs ${round}`, 100 + round]);
    }
  });

  it('an edit of a cell that was saved right before is refused with the text that was saved, until it is known', async () => {
    const cell = await notebook.add('mine = 0');
    let base = 'mine = 0';
    for (let round = 1; round <= rounds; round += 1) {
      const [ours, theirs] = [`mine = ${round}`, `mine = "theirs ${round}"`];
      await save(fileOf(cell), theirs);
      await delay();
      const refused = notebook.framesUntil(({ type, payload }) => type === 'error' && payload.cell_id === cell);
      notebook.socket.send('cell_source_update', { cell_id: cell, source: ours, base });
      const { payload = {} } = (await refused).findLast(({ type }) => type === 'error') ?? {};
      assert.deepEqual([payload.code, payload.source], ['source_changed', theirs]);
      assert.equal(await fs.readFile(fileOf(cell), 'utf8'), theirs);
      assert.equal((await notebook.edit(cell, ours)).status, 200);
      assert.equal(await fs.readFile(fileOf(cell), 'utf8'), ours);
      base = ours;
    }
  });
});
