// Large reads: who asks for a run is asked first when it would bring more here than the server lets pass, and nothing starts
// until there is a yes.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { enginePython } from '../scripts/setup/places.js';
import { createRemoteDesk } from '../src/desk/index.ts';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { assertAccessible, picture } from './kit/pages.ts';
import { cleanEnvironment, startServer, type TestServer } from './kit/server.ts';
import type { Frame } from './kit/socket.ts';
import { addSql, setConnections } from './kit/sql.ts';

const program = fileURLToPath(new URL('../bin/svc.js', import.meta.url));
const size = 5000;
const limits = {
  SVC_MCP_ENABLED: 'true',
  SVC_NOTEBOOK_CONFIRM_READ_BYTES: '4000',
  SVC_NOTEBOOK_CONFIRM_READ_MESSAGE: 'Large reads are billed to your team.',
};

/** Pages that say how large they are, and which requests came. */
async function startPages() {
  const asked: string[] = [];
  const server = http.createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const body = Buffer.alloc(request.url?.startsWith('/small') ? 10 : size, 'x');
    response.writeHead(200, { 'content-length': body.length, etag: `"${request.url}"` });
    response.end(request.method === 'HEAD' ? undefined : body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return { asked, url: `http://127.0.0.1:${address.port}`, close: () => server.close() };
}

describe('a run that would read much', () => {
  let pages: Awaited<ReturnType<typeof startPages>>;
  let server: TestServer;
  let notebook: TestNotebook;

  before(async () => {
    pages = await startPages();
    server = await startServer({ env: limits });
    notebook = await createTestNotebook(server, 'Reads');
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    pages.close();
  });

  const fetching = (place: string): string => `# @fetch page ${pages.url}${place}\nlen(page.read_bytes())`;
  const inputOf = (place: string) => ({
    kind: 'fetch',
    name: 'page',
    uri: `${pages.url}${place}`,
    credential: null,
    bytes: size,
    cached_bytes: 0,
  });
  const readOf = (cell_id: string, place: string) => ({
    cell_id,
    machine: 'local',
    inputs: [inputOf(place)],
    bytes_to_move: size,
    cost: 0,
  });

  /** The question, or the status of the cell that began to run instead. */
  async function ask(type: string, payload: object, asking = notebook) {
    const isAnswer = ({ type, payload }: Frame): boolean =>
      type === 'read_confirm_prompt' || (type === 'cell_status' && payload.status === 'running');
    const frames = asking.framesUntil(isAnswer);
    asking.socket.send(type, payload);
    return (await frames).find(isAnswer);
  }

  /** The frames up to the cell's output. */
  function send(type: string, payload: object, cellId: string, asking = notebook): Promise<Frame[]> {
    const ended = asking.framesUntil(({ type, payload }) => type === 'cell_output' && payload.cell_id === cellId);
    asking.socket.send(type, payload);
    return ended;
  }

  it('asks whoever sent the frame, starts nothing, and runs on a yes', async () => {
    const cell = await notebook.add(fetching('/one'));
    const prompt = await ask('cell_execute', { cell_id: cell });
    const { prompt_id, ...told } = prompt?.payload ?? {};
    assert.match(String(prompt_id), /^[0-9a-f]{32}$/);
    assert.deepEqual(told, {
      cells: [readOf(cell, '/one')],
      message: 'Large reads are billed to your team.',
    });
    assert.deepEqual(pages.asked, ['HEAD /one']);
    assert.equal((await notebook.cell(cell)).status, 'idle');
    await send('read_confirm', { prompt_id }, cell);
    const again = await send('cell_execute_rerun', { cell_id: cell }, cell);
    assert.ok(!again.some(({ type }) => type === 'read_confirm_prompt'), 'what is here is not asked about');

    const refused = notebook.framesUntil(({ type }) => type === 'error');
    notebook.socket.send('read_confirm', { prompt_id });
    assert.equal((await refused).at(-1)?.payload.error, 'Read prompt not found or expired');
  });

  it('asks for every kind of run, once for what was agreed to', async () => {
    const cell = await notebook.add(fetching('/two'));
    for (const type of ['cell_execute_force', 'cell_execute_rerun', 'notebook_run_all', 'notebook_rerun_all']) {
      const asked = await ask(type, type.startsWith('cell') ? { cell_id: cell } : {});
      assert.deepEqual([asked?.type, asked?.payload.cells], ['read_confirm_prompt', [readOf(cell, '/two')]], type);
    }
    const small = await notebook.add(fetching('/small'));
    const unasked = await send('cell_execute', { cell_id: small }, small);
    assert.ok(!unasked.some(({ type }) => type === 'read_confirm_prompt'));
    const asked = await ask('cell_execute_rerun', { cell_id: cell });
    await send('read_confirm', { prompt_id: asked?.payload.prompt_id }, cell);
  });

  it('lets programs run unasked, confirm or approve', async () => {
    const cell = await notebook.add(fetching('/three'));
    const execute = (query: string) => notebook.request('POST', `/cells/${cell}/execute?${query}`);
    const held = await execute('confirm_reads=true');
    assert.deepEqual(
      [held.status, held.json],
      [
        409,
        {
          detail: {
            message:
              'The run would read 5000 bytes that are not here yet; approve the read to run it. Large reads are billed to your team.',
            code: 'large_read',
            cells: [readOf(cell, '/three')],
          },
        },
      ],
    );
    const approved = await execute('confirm_reads=true&approve_reads=true');
    assert.deepEqual([approved.status, Object(approved.json).status], [200, 'ready']);
    const other = await notebook.add(fetching('/four'));
    assert.equal((await notebook.run(other)).status, 'ready', 'who says nothing is not asked');
  });

  it('is left out of what follows a live widget, with the reason, until somebody said yes to it', async () => {
    const live = await createTestNotebook(server, 'Live reads');
    const { id: widget } = Object((await live.request('POST', '/cells', { language: 'widget' })).json);
    await live.edit(widget, '# @live\nwide = slider(0, 9)');
    const large = await live.add(`${fetching('/nine')}\nlarge = wide`);
    const below = await live.add('large + 1');
    const small = await live.add('wide + 1');
    for (const cell of [below, small]) assert.equal((await live.run(cell)).status, 'ready');
    const fetched = (): number => pages.asked.filter((one) => one === 'GET /nine').length;
    const before = fetched();

    const held = live.framesUntil(
      ({ type, payload }) =>
        type === 'cell_status' &&
        payload.cell_id === large &&
        Object(payload.causality).details?.[0].type === 'large_read',
    );
    live.socket.send('widget_update', { cell_id: widget, values: { wide: 3 } });
    await held;
    const { causality } = await live.cell(large);
    assert.deepEqual(causality?.details[0], { type: 'large_read', bytes: size });
    const statuses = [large, below, small].map(async (id) => (await live.cell(id)).status);
    assert.deepEqual(await Promise.all(statuses), ['stale', 'stale', 'ready']);
    assert.equal(fetched(), before, 'nothing large was read');

    const asked = await ask('cell_execute', { cell_id: large }, live);
    await send('read_confirm', { prompt_id: asked?.payload.prompt_id }, large, live);
    await send('widget_update', { cell_id: widget, values: { wide: 4 } }, below, live);
    assert.equal((await live.cell(large)).status, 'ready');
  });

  it('weighs the tables of a catalog that a query names', async () => {
    const lake = await createTestNotebook(server, 'Lake reads');
    const folder = path.join(lake.path, 'lake');
    await fs.mkdir(folder);
    const properties = { type: 'sql', uri: `sqlite:///${folder}/catalog.db`, warehouse: `file://${folder}` };
    const program = `import pyarrow as pa
from pyiceberg.catalog import load_catalog
catalog = load_catalog("lake", **${JSON.stringify(properties)})
catalog.create_namespace("nyc")
table = catalog.create_table("nyc.trips", schema=pa.schema([("n", pa.int64())]))
table.append(pa.table({"n": list(range(5000))}))
print(table.current_snapshot().summary["total-files-size"])`;
    const { stdout } = await promisify(execFile)(enginePython, ['-c', program]);
    const put = await server.rest.send('PUT', '/v1/admin/notebook-credentials', {
      json: { catalogs: { lake: properties } },
    });
    assert.equal(put.status, 200, put.text);
    await setConnections(lake, [{ name: 'lake', driver: 'duckdb', path: ':memory:', catalog: 'lake' }]);
    const cell = await addSql(lake, '# @sql connection=lake\nSELECT count(*) AS n FROM lake.nyc.trips');
    const execute = (query: string) => lake.request('POST', `/cells/${cell}/execute?${query}`);
    const held = await execute('confirm_reads=true');
    const bytes = Number(stdout);
    const input = {
      kind: 'table',
      name: 'nyc.trips',
      uri: 'lake:nyc.trips',
      credential: null,
      bytes,
      cached_bytes: null,
    };
    assert.deepEqual(Object(held.json).detail?.cells, [
      { cell_id: cell, machine: 'local', inputs: [input], bytes_to_move: bytes, cost: 0 },
    ]);
    assert.equal((await lake.run(cell)).status, 'ready');
    assert.equal((await execute('confirm_reads=true')).status, 200, 'a result that is stored reads nothing');
  });

  it('lets agents confirm', async () => {
    const cell_id = await notebook.add(fetching('/eight'));
    const client = new Client({ name: 'tests', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.address}/mcp/`)));
    const run = async (more: object) => {
      const call = { session_id: notebook.sessionId, cell_id, confirm_reads: true, ...more };
      return Object((await client.callTool({ name: 'run_cell', arguments: call })).structuredContent);
    };
    const held = await run({});
    assert.deepEqual(
      [held.cell_id, held.status, held.error_code, held.reads],
      [cell_id, 'error', 'large_read', [readOf(cell_id, '/eight')]],
    );
    assert.equal((await run({ approve_reads: true })).status, 'ok');
    await client.close();
  });

  it('lets whoever works over REST confirm', async () => {
    const cellId = await notebook.add(fetching('/nine'));
    const desk = createRemoteDesk({ server: server.address, session: notebook.sessionId, headers: {} });
    const held = await desk.run(cellId, 'normal', undefined, { confirm: true, approve: false });
    assert.deepEqual([held.status, held.error_code, held.reads], ['error', 'large_read', [readOf(cellId, '/nine')]]);
    const agreed = await desk.run(cellId, 'normal', undefined, { confirm: true, approve: true });
    assert.equal(agreed.status, 'ok');
  });

  it('is a question on the page', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await notebook.add(`# @name download\n${fetching('/six')}`);
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    const cell = page.getByRole('listitem', { name: /^download/ });
    await cell.click();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+Enter');
    const dialog = page.getByRole('dialog', { name: 'Read this much?' });
    await dialog.getByText('Large reads are billed to your team.').waitFor();
    await dialog.getByText('4.9 KB', { exact: true }).first().waitFor();
    await assertAccessible(page, 'the question before a large read');
    await picture(page, 'notebook-large-read');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.ok(!pages.asked.includes('GET /six'));
    await page.keyboard.press('Control+Enter');
    await dialog.getByRole('button', { name: 'Read and run' }).click();
    await page
      .getByRole('listitem', { name: /^download, python, ready/ })
      .getByText(String(size))
      .waitFor();
    await page.close();
  });

  it('never holds up svc run', async () => {
    await notebook.add(fetching('/seven'));
    await server.stop();
    const svc = spawn(process.execPath, [program, 'run', notebook.path, '--format', 'json'], {
      env: cleanEnvironment(server.home, limits),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    assert.equal(JSON.parse(await text(svc.stdout)).success, true);
  });
});
