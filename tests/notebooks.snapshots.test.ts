// Snapshots that are opened where nothing of what their cells asked can be asked: no host, no model, no database.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it, type TestContext } from 'node:test';
import { listening } from './kit/listening.ts';
import { createTestNotebook, openTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { addSql, setConnections } from './kit/sql.ts';

let elsewhere: TestServer;
before(async () => {
  elsewhere = await startServer();
});
after(() => elsewhere[Symbol.asyncDispose]());

async function snapshotOf(server: TestServer, { sessionId }: TestNotebook, query: string): Promise<Blob> {
  const answer = await fetch(`${server.address}/v1/notebooks/${sessionId}/export?fmt=snapshot&${query}`);
  assert.equal(answer.status, 200, query);
  return answer.blob();
}

async function take(server: TestServer, snapshot: Blob, name: string, parent = '.') {
  const form = new FormData();
  form.set('file', snapshot, 'x.snapshot.zip');
  form.set('name', name);
  form.set('parent_path', parent);
  const answer = await fetch(`${server.address}/v1/notebooks/import-snapshot`, { method: 'POST', body: form });
  const json = Object(await answer.json());
  assert.equal(answer.status, 200, JSON.stringify(json));
  return json;
}

/** A notebook of everything that is asked of others, run; its server, the host, the model and the database are gone. */
async function handedOver(context: Pick<TestContext, 'after'>): Promise<Blob> {
  const page = createServer((_request, response) => response.end('a page'));
  const model = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const piece = { choices: [{ delta: { content: 'An otter.' } }] };
    response.end(`data: ${JSON.stringify(piece)}\n\ndata: [DONE]\n\n`);
  });
  const [site, ai] = [await listening(context, page), await listening(context, model)];
  await using server = await startServer({
    env: { SVC_AI_BASE_URL: `${ai}/v1`, SVC_AI_MODEL: 'small', SVC_AI_API_KEY: 'key' },
  });
  const notebook = await createTestNotebook(server, 'Asked');
  const file = path.join(server.home, 'shop.sqlite');
  using database = new DatabaseSync(file);
  database.exec('CREATE TABLE orders (n INTEGER); INSERT INTO orders VALUES (7)');
  await setConnections(notebook, [{ name: 'shop', driver: 'sqlite', path: file }]);
  const fetched = await notebook.add(`# @fetch page ${site}/page.txt\nbody = page.read_text()\nbody`);
  const shouted = await notebook.add('shout = body.upper()\nshout');
  const { id: poem } = Object((await notebook.request('POST', '/cells', { language: 'prompt' })).json);
  await notebook.edit(poem, '# @name poem\nA poem about {{ shout }}');
  const query = await addSql(notebook, '# @name rows\n# @sql connection=shop\nSELECT n FROM orders');
  const failing = await notebook.add('print("before")\n1 / 0');
  for (const cell of [fetched, shouted, poem, query, failing]) await notebook.run(cell);
  // As if it had been fetched long ago.
  const index = path.join(notebook.path, '.svc/fetch/index.json');
  fs.writeFileSync(index, fs.readFileSync(index, 'utf8').replaceAll(/"checked_at": ?[\d.]+/g, '"checked_at":1'));
  return await snapshotOf(server, notebook, 'include=all');
}

describe('a snapshot of everything', () => {
  it('opens as it was without the host, the model and the database', async (context) => {
    const ends: (() => unknown)[] = [];
    const snapshot = await handedOver({ after: (end) => void ends.push(() => end?.(context, () => {})) });
    for (const end of ends) end();
    const { import_report, path: place } = await take(elsewhere, snapshot, 'Opened');
    assert.deepEqual(import_report.by_reference_cells, []);
    const copy = await openTestNotebook(elsewhere, place);
    const shown = (await copy.state()).cells.map(({ status, error, console_stdout }) => [
      status,
      error?.trim().split('\n').at(-1) ?? null,
      console_stdout,
    ]);
    assert.deepEqual(shown, [
      ['ready', null, ''],
      ['ready', null, ''],
      ['ready', null, ''],
      ['ready', null, ''],
      ['error', 'ZeroDivisionError: division by zero', 'before\n'],
    ]);
    const [, , poem] = (await copy.state()).cells;
    const reader = await copy.add('len(poem)');
    assert.equal((await copy.run(reader)).display?.preview, 'An otter.'.length);
    assert.equal((await copy.cell(poem?.id ?? '')).status, 'ready');
  });
});

describe('the id of a notebook that is brought in', () => {
  it('is replaced wherever it is in use below the root, and once more for each import at the same time', async () => {
    const server = await startServer();
    await using _ = server;
    const notebook = await createTestNotebook(server, 'Original');
    await notebook.run(await notebook.add('x = 1'));
    const snapshot = await snapshotOf(server, notebook, 'include=all');
    const root = path.dirname(notebook.path);
    const deep = path.join(root, 'a/b/c/d/e/f');
    fs.mkdirSync(deep, { recursive: true });
    await notebook.request('POST', '/close');
    fs.renameSync(notebook.path, path.join(deep, 'Original'));
    for (let n = 0; n < 510; n += 1) {
      fs.mkdirSync(path.join(root, `many${n}`));
      fs.writeFileSync(path.join(root, `many${n}`, 'notebook.toml'), `notebook_id = "id-${n}"\nname = "N${n}"\n`);
    }
    const first = await take(server, snapshot, 'Beside');
    assert.ok(first.import_report.replaced_notebook_id !== null);
    fs.rmSync(path.join(deep, 'Original'), { recursive: true });
    const taken = await Promise.all(['One', 'Two', 'Three'].map((name) => take(server, snapshot, name)));
    const ids = taken.map(({ path: place }) => {
      const text = fs.readFileSync(path.join(place, 'notebook.toml'), 'utf8');
      return /notebook_id = "([^"]+)"/.exec(text)?.[1];
    });
    assert.equal(new Set(ids).size, 3);
    assert.equal(taken.filter(({ import_report }) => import_report.replaced_notebook_id === null).length, 1);
  });
});

describe('the list of notebooks', () => {
  it('holds every one of the root, newest first, a page at a time', async () => {
    const server = await startServer();
    await using _ = server;
    const newest = await createTestNotebook(server, 'Newest');
    const root = path.dirname(newest.path);
    for (let n = 0; n < 510; n += 1) {
      const folder = path.join(root, 'a/b/c/d/e', `n${n}`);
      fs.mkdirSync(folder, { recursive: true });
      const time = new Date(Date.UTC(2020, 0, 1) + n * 60_000).toISOString();
      fs.writeFileSync(
        path.join(folder, 'notebook.toml'),
        `notebook_id = "id-${n}"\nname = "N${n}"\nupdated_at = ${time}\n`,
      );
    }
    const page = async (query: string) => {
      const { json, headers } = await server.rest.get(`/v1/notebooks/discover?${query}`);
      return { ...Object(json), total: headers['x-total-count'] };
    };
    const pages = [await page(''), await page('offset=500')];
    const names = pages.flatMap(({ notebooks }) => notebooks.map(({ name }: { name: string }) => name));
    assert.deepEqual(names, ['Newest', ...Array.from({ length: 510 }, (_, n) => `N${509 - n}`)]);
    assert.deepEqual([pages[0]?.total, (await page('limit=2')).notebooks.length], ['511', 2]);
  });
});
