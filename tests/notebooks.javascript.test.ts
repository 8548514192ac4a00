// JavaScript cells in a Node of their own: values to and from Python, tables, what is shown, errors, and what stops them.
import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isRunning } from '../src/files/index.ts';
import { createTestNotebook, openTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { newHome, startServer, type TestServer } from './kit/server.ts';
import { until } from './kit/until.ts';

let server: TestServer;
let notebook: TestNotebook;
before(async () => {
  server = await startServer();
  notebook = await createTestNotebook(server, 'JavaScript');
});
after(() => server[Symbol.asyncDispose]());

async function addScript(source: string, to: TestNotebook = notebook): Promise<string> {
  const { id } = Object((await to.request('POST', '/cells', { language: 'javascript' })).json);
  await to.edit(id, source);
  return id;
}

const shown = async (id: string, to: TestNotebook = notebook): Promise<unknown> => {
  const { status, display, error } = await to.run(id);
  assert.equal(status, 'ready', String(error));
  return display?.preview;
};

describe('a JavaScript cell', () => {
  it('reads what Python gives and gives what Python reads, in its own file', async () => {
    const given = await notebook.add('numbers = [1, 2.5, 9007199254740993]\nwords = {"a": [True, None]}');
    const middle = await addScript(
      '// twice\nconst twice = numbers.map((n) => n + n)\nconst keys = Object.keys(words)\ntwice.length',
    );
    const read = await notebook.add('[[str(n) for n in twice], keys]');
    await notebook.run(given);
    assert.equal(await shown(middle), 3);
    assert.deepEqual(await shown(read), [['2', '5', '18014398509481986'], ['a']]);
    assert.deepEqual(
      await fs.readdir(path.join(notebook.path, 'cells')).then((names) => names.includes(`${middle}.js`)),
      true,
    );
    // A comment changes no result, and a value of Python makes it stale.
    await notebook.edit(
      middle,
      '// doubled\nconst twice = numbers.map((n) => n + n)\nconst keys = Object.keys(words)\ntwice.length',
    );
    assert.equal((await notebook.cell(middle)).status, 'ready');
    await notebook.edit(given, 'numbers = [1]\nwords = {}');
    await notebook.run(given);
    assert.equal((await notebook.cell(middle)).status, 'stale');
  });

  it('reads a data frame as a table, and its tables are data frames', async () => {
    const own = await createTestNotebook(server, 'JavaScript tables');
    const frame = await own.add('import pyarrow as pa\nframe = pa.table({"city": ["Ulm", "Jena"], "n": [1, 2]})');
    const rows = await addScript(
      'const rows = [...frame].map(({ city, n }) => ({ city, twice: n * 2 }))\nconst made = table(rows)\nconst more = table({ x: [1.5, null], y: ["a", "b"] })\nmade',
      own,
    );
    const read = await own.add('[made.to_pylist(), more.to_pylist(), [str(field.type) for field in more.schema]]');
    await own.run(frame);
    const ran = await own.run(rows);
    assert.deepEqual(
      [ran.status, ran.display?.content_type, ran.display?.rows, ran.display?.columns],
      ['ready', 'arrow/ipc', 2, ['city', 'twice']],
    );
    assert.deepEqual(await shown(read, own), [
      [
        { city: 'Ulm', twice: 2 },
        { city: 'Jena', twice: 4 },
      ],
      [
        { x: 1.5, y: 'a' },
        { x: null, y: 'b' },
      ],
      ['double', 'string'],
    ]);
  });

  it('shows pages, pictures, text and charts', async () => {
    const cell = await addScript(
      `display.html('<b>bold</b>')\ndisplay.svg('<svg xmlns="http://www.w3.org/2000/svg"/>')\ndisplay.markdown('# Title')\ndisplay(new Map([[1, 2]]));\n` +
        `({ $schema: 'https://vega.github.io/schema/vega-lite/v6.json', mark: 'bar', data: { values: [] } })`,
    );
    assert.equal((await notebook.run(cell)).error ?? null, null);
    const { display_outputs } = await notebook.cell(cell);
    assert.deepEqual(
      display_outputs.map(({ content_type, inline_text, markdown_text, text }) => [
        content_type,
        inline_text ?? markdown_text ?? text,
      ]),
      [
        ['text/html', '<b>bold</b>'],
        ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
        ['text/markdown', '# Title'],
        ['text/plain', 'Map(1) { 1 => 2 }'],
        [
          'application/vnd.vegalite.v6+json',
          '{"$schema":"https://vega.github.io/schema/vega-lite/v6.json","mark":"bar","data":{"values":[]}}',
        ],
      ],
    );
  });

  it('imports packages and files of the notebook, whose change makes it stale', async () => {
    const own = await createTestNotebook(server, 'JavaScript modules');
    const folder = path.join(own.path, 'node_modules/greeter');
    await fs.mkdir(folder, { recursive: true });
    const says = (version: string) =>
      fs.writeFile(
        path.join(folder, 'package.json'),
        JSON.stringify({ name: 'greeter', version, type: 'module', exports: './index.js' }),
      );
    await says('1.0.0');
    await fs.writeFile(path.join(folder, 'index.js'), "export const greet = (who) => 'Hello ' + who");
    const helper = path.join(own.path, 'helper.mjs');
    await fs.writeFile(helper, "export const who = 'Ada'");
    const cell = await addScript(
      "import { greet } from 'greeter'\nimport { who } from '../helper.mjs'\ngreet(who)",
      own,
    );
    assert.equal(await shown(cell, own), 'Hello Ada');
    assert.deepEqual((await own.cell(cell)).effects?.read, ['helper.mjs', 'node_modules/greeter/package.json']);
    await fs.writeFile(helper, "export const who = 'Eva'");
    assert.equal(await shown(cell, own), 'Hello Eva');
    await says('1.0.1');
    await until(async () => (await own.cell(cell)).status === 'stale', 'the cell is stale for its package');
    const missing = await addScript("import x from 'nowhere-to-be-found'", own);
    const { error } = await own.run(missing);
    assert.match(
      String(error),
      /The package 'nowhere-to-be-found' is not installed\. Run "npm install nowhere-to-be-found"/,
    );
  });

  it('says what it touched', async (t) => {
    const host = http.createServer((_request, response) => response.end('answer'));
    t.after(() => host.close());
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
    const { port } = host.address() as AddressInfo;
    const cell = await addScript(
      `import { execFileSync } from 'node:child_process'\nimport fs from 'node:fs'\nfs.writeFileSync('out.txt', String(Math.random()))\nconst said = await (await fetch('http://127.0.0.1:${port}/')).text()\nexecFileSync('true')\nconst home = process.env.HOME\nconst at = Date.now()\nsaid`,
    );
    assert.equal(await shown(cell), 'answer');
    const { written, hosts, programs, variables, clock, entropy } = (await notebook.cell(cell)).effects ?? {};
    assert.deepEqual(
      { written, hosts, programs, variables, clock, entropy },
      {
        written: ['work/out.txt'],
        hosts: ['127.0.0.1'],
        programs: ['true'],
        variables: ['HOME'],
        clock: true,
        entropy: true,
      },
    );
  });

  it('tells its errors with their places, and what cannot be given to others', async () => {
    const failing = await addScript(
      '# @name fails\nfunction inner(x) {\n  return x.y.z\n}\nconsole.log("before")\ninner({})',
    );
    const { status, traceback, stdout } = await notebook.run(failing);
    assert.deepEqual([status, stdout], ['error', 'before\n']);
    assert.match(
      String(traceback),
      /TypeError: Cannot read properties of undefined \(reading 'z'\)\n {4}at the cell, line 6: inner\(\{\}\)\n {4}at inner, line 3: return x\.y\.z/,
    );
    const broken = await addScript('const = 1');
    assert.match(String((await notebook.run(broken)).traceback), /SyntaxError: Unexpected token\n1 \| const = 1/);
    const maker = await addScript('const day = new Date(0)\nconst helper = () => 1');
    await notebook.add('[day, helper]');
    const { error } = await notebook.run(maker);
    assert.match(String(error), /a Date cannot be given to other cells/);
  });

  it('is stopped when it takes too long or leaves by itself', async () => {
    const endless = await addScript('# @timeout 1\nfor (;;);');
    assert.match(String((await notebook.run(endless)).error), /did not finish within 1 s/);
    const leaving = await addScript('process.exit(3)');
    assert.match(String((await notebook.run(leaving)).error), /Node ended with status 3 before the cell had a result/);
  });

  it('is stopped when somebody cancels it, with what it started', async () => {
    const cell = await addScript(
      "import { spawn } from 'node:child_process'\nconst { pid } = spawn('sleep', ['600'])\nconsole.log(pid)\nfor (;;);",
    );
    const printed = notebook.socket.frame(({ type, payload }) => type === 'cell_console' && payload.cell_id === cell);
    const ended = notebook.run(cell);
    const pid = Number((await printed).payload.text);
    assert.ok(isRunning(pid), `there is no process ${pid}`);
    assert.equal((await notebook.request('POST', `/cells/${cell}/cancel`)).status, 200);
    assert.equal((await ended).error, 'Cancelled before it finished');
    await until(() => !isRunning(pid), 'what the cell started has ended');
  });

  it('is there after its server was killed, with its result', async () => {
    const home = newHome();
    const first = await startServer({ home });
    const own = await createTestNotebook(first, 'JavaScript again');
    const cell = await addScript('const kept = 41\nkept + 1', own);
    assert.equal(await shown(cell, own), 42);
    await first.stop('SIGKILL');
    await using second = await startServer({ home });
    const again = await openTestNotebook(second, own.path);
    const { status, language, display_outputs } = await again.cell(cell);
    assert.deepEqual([status, language, display_outputs[0]?.preview], ['ready', 'javascript', 42]);
  });
});
