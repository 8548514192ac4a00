// Pipes and links that somebody put where a notebook keeps its own notes: nobody waits for them, and nothing that they lead to
// is read or written.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, it } from 'node:test';
import { connectAgent } from './kit/mcp.ts';
import { createTestNotebook, openTestNotebook } from './kit/notebook.ts';
import type { Answer } from './kit/rest.ts';
import { startServer, type TestServer } from './kit/server.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ env: { SVC_MCP_ENABLED: 'true' } });
});
after(() => server[Symbol.asyncDispose]());

const planted = [
  '.svc/open.json',
  '.svc/runtime.json',
  '.svc/last_run.json',
  '.svc/sqlSnapshots.json',
  '.svc/fetch/index.json',
  '.svc/environment.json',
  '.svc/environment_jobs.json',
  'README.md',
];

const kinds: [kind: string, plant: (place: string) => void][] = [
  ['pipes', (place) => execFileSync('mkfifo', [place])],
  ['links that lead out', (place) => fs.symlinkSync(path.join(server.home, 'elsewhere.json'), place)],
];

for (const [kind, plant] of kinds) {
  it(`${kind} hold nobody up, and what they lead to stays unread`, async () => {
    const secret = '{"schema_version":1,"cells":{},"note":"somebody else’s"}';
    fs.writeFileSync(path.join(server.home, 'elsewhere.json'), secret);
    const first = await createTestNotebook(server, kind);
    const cell = await first.add('x = [1, 2, 3]');
    const reader = await first.add('sum(x)');
    await first.run(reader);
    await first.request('POST', '/close');
    for (const name of planted) {
      const place = path.join(first.path, name);
      fs.mkdirSync(path.dirname(place), { recursive: true });
      fs.rmSync(place, { force: true });
      plant(place);
    }
    assert.equal((await server.rest.get('/v1/notebooks/discover')).status, 200);
    const notebook = await openTestNotebook(server, first.path);
    assert.equal((await notebook.run(reader, 'force')).status, 'ready');
    const blobs = path.join(notebook.path, '.svc/artifacts/blobs');
    for (const name of fs.readdirSync(blobs)) {
      fs.rmSync(path.join(blobs, name));
      plant(path.join(blobs, name));
    }
    for (const format of ['zip', 'snapshot', 'markdown', 'html', 'ipynb', 'script']) {
      const { status, text } = await notebook.request('GET', `/export?fmt=${format}&include=all`);
      assert.deepEqual([format, status, text.includes(secret)], [format, 200, false]);
    }
    await notebook.edit(cell, 'x = [4]');
    const { status, display } = await notebook.run(reader);
    assert.deepEqual([status, display?.preview], ['ready', 4]);
    const project = path.join(notebook.path, 'pyproject.toml');
    const text = fs.readFileSync(project);
    fs.rmSync(project);
    plant(project);
    const added = await notebook.request('POST', '/dependencies', { package: 'numpy' });
    assert.deepEqual(
      [added.status, Object(added.json).detail.message],
      [400, 'pyproject.toml cannot be read: not a plain file'],
    );
    fs.rmSync(project);
    fs.writeFileSync(project, text);
    assert.equal(fs.readFileSync(path.join(server.home, 'elsewhere.json'), 'utf8'), secret);
    assert.equal((await notebook.request('POST', '/close')).status, 200);
  });
}

for (const [kind, plant] of kinds) {
  it(`${kind} in place of a result, or of a file that an agent has saved, are neither waited for, read nor written through`, async () => {
    const elsewhere = path.join(server.home, 'elsewhere.json');
    const secret = '["somebody else’s"]';
    fs.writeFileSync(elsewhere, secret);
    const notebook = await createTestNotebook(server, `Saved ${kind}`);
    const id = await notebook.add(
      'class Page:\n    def _repr_html_(self):\n        return "x" * 3_000_000\nkept = ["v" * 9000]\nPage()',
    );
    await notebook.run(await notebook.add('len(kept)'));
    await using agent = await connectAgent(server.address);
    const save = { session_id: notebook.sessionId, cell_id: id };
    const { path: saved } = await agent.call('save_cell_output', save);
    fs.rmSync(String(saved));
    plant(String(saved));
    assert.equal(Object(await agent.call('save_cell_output', save)).bytes, 3_000_000);
    assert.ok(fs.lstatSync(String(saved)).isFile());
    const uri = String(Object((await notebook.cell(id)).artifact_uris).kept);
    const value = `/cells/${id}/value?artifact_uri=${encodeURIComponent(uri)}`;
    assert.match(Object((await notebook.request('GET', value)).json).text, /v{9000}/);
    const blobs = path.join(notebook.path, '.svc/artifacts/blobs');
    for (const name of fs.readdirSync(blobs)) {
      fs.rmSync(path.join(blobs, name));
      plant(path.join(blobs, name));
    }
    assert.match(await agent.refused('save_cell_output', save), /display output/);
    // More than there are threads to wait in.
    const asked = await Promise.all(Array.from({ length: 8 }, () => notebook.request('GET', value)));
    assert.deepEqual(
      asked.map(({ status }) => status),
      asked.map(() => 404),
    );
    assert.equal((await notebook.request('GET', '/export?fmt=html&include=all')).status, 200);
    assert.equal(fs.readFileSync(elsewhere, 'utf8'), secret);
  });
}

it('a runtime folder that is a link is refused, and nothing is written where it leads', async () => {
  const elsewhere = path.join(server.home, 'elsewhere');
  fs.mkdirSync(elsewhere);
  const notebook = await createTestNotebook(server, 'Linked');
  await notebook.request('POST', '/close');
  const open = () => server.rest.post('/v1/notebooks/open', { json: { path: notebook.path } });
  for (const name of ['.svc/runs', '.svc/artifacts', '.svc']) {
    const place = path.join(notebook.path, name);
    fs.rmSync(place, { recursive: true, force: true });
    fs.symlinkSync(elsewhere, place);
    const { status, json } = await open();
    assert.deepEqual(
      [status, json],
      [
        400,
        {
          detail: `${name} of the notebook is a link; what the server keeps there belongs into a folder of the notebook. Remove the link and open the notebook again.`,
        },
      ],
    );
    fs.rmSync(place);
  }
  assert.deepEqual(fs.readdirSync(elsewhere), []);
  assert.equal((await open()).status, 200);
});

it('what another program left in place of a file of an open notebook is told in words, and no secret in it is', async () => {
  const notebook = await createTestNotebook(server, 'Replaced');
  const cell = await notebook.add('x = 1');
  const merged = (place: string): void =>
    fs.writeFileSync(place, '<<<<<<< HEAD\n[env]\nKEY = "planted-secret\n=======\n>>>>>>> theirs\n');
  const toItself = (place: string): void => fs.symlinkSync(path.basename(place), place);
  const toNothing = (place: string): void => fs.symlinkSync('nowhere', place);
  const pipe = (place: string): string => execFileSync('mkfifo', [place], { encoding: 'utf8' });
  const missing = (): void => {};
  const bundle = (): Promise<Answer> => notebook.request('GET', '/export?fmt=zip');
  const edit = (): Promise<Answer> => notebook.edit(cell, 'x = 2');
  const named = (): Promise<Answer> => notebook.request('PUT', '/timeout', { timeout: 9 });
  const said = (): Promise<Answer> => notebook.request('POST', `/cells/${cell}/comments`, { text: 'Why?' });
  const noFolder = 'Invalid notebook path: cells is not a folder';
  const cases: [
    name: string,
    plant: (place: string) => unknown,
    ask: () => Promise<Answer>,
    status: number,
    words: RegExp,
  ][] = [
    ['notebook.toml', merged, bundle, 400, /^notebook\.toml, line 1: /],
    ['notebook.toml', missing, bundle, 404, /^notebook\.toml not found at /],
    ['notebook.toml', toItself, bundle, 400, /^notebook\.toml: is not a plain file$/],
    ['notebook.toml', toItself, named, 400, /^notebook\.toml: is not a plain file$/],
    ['comments.json', toItself, said, 409, /^comments\.json of this notebook cannot be read: not a plain file/],
    ['cells', missing, bundle, 200, /^$/],
    ['cells', merged, bundle, 400, RegExp(`^${noFolder}$`)],
    ['cells', pipe, edit, 400, RegExp(`^${noFolder}$`)],
    ['cells', toItself, bundle, 400, RegExp(`^${noFolder}$`)],
    ['cells', toNothing, edit, 400, RegExp(`^${noFolder}$`)],
  ];
  for (const [name, plant, ask, status, words] of cases) {
    const place = path.join(notebook.path, name);
    const aside = `${place}.aside`;
    if (fs.existsSync(place)) fs.renameSync(place, aside);
    plant(place);
    const answer = await ask();
    const { detail } = status === 200 ? { detail: '' } : Object(answer.json);
    assert.deepEqual([name, plant.name, answer.status], [name, plant.name, status], answer.text);
    assert.match(detail.message ?? detail, words);
    fs.rmSync(place, { recursive: true, force: true });
    if (fs.existsSync(aside)) fs.renameSync(aside, place);
  }
  assert.doesNotMatch(server.output(), /planted-secret|Request failed/);
});

it('folders that links lead to are not discovered', async () => {
  const notebook = await createTestNotebook(server, 'Found');
  const root = path.dirname(notebook.path);
  const outside = path.join(server.home, 'outside');
  const discovered = async () => Object((await server.rest.get('/v1/notebooks/discover')).json);
  const before = await discovered();
  fs.cpSync(path.join(notebook.path, 'notebook.toml'), path.join(outside, 'hidden/notebook.toml'));
  fs.symlinkSync(outside, path.join(root, 'above'));
  fs.symlinkSync(path.join(outside, 'hidden'), path.join(root, 'direct'));
  fs.symlinkSync(root, path.join(root, 'circle'));
  assert.deepEqual(await discovered(), before);
});
