// Agents over the Model Context Protocol, with the official client: from nothing to a tested notebook.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { connectAgent, type TestAgent } from './kit/mcp.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { openSocket } from './kit/socket.ts';

let server: TestServer;
let client: Client;
let call: TestAgent['call'];
let refused: TestAgent['refused'];
before(async () => {
  server = await startServer({ env: { SVC_MCP_ENABLED: 'true' } });
  ({ client, call, refused } = await connectAgent(server.address));
});
after(async () => {
  await client.close();
  await server[Symbol.asyncDispose]();
});

describe('an agent', () => {
  it('takes its run along when it leaves', async () => {
    const session_id = String((await call('create_notebook', { name: 'Leaving' })).session_id);
    const { id: cell_id } = await call('add_cell', { session_id, source: 'import time\ntime.sleep(600)' });
    const socket = await openSocket(server.address, `/v1/notebooks/ws/${session_id}`);
    const leaving = new Client({ name: 'leaving', version: '1' });
    await leaving.connect(new StreamableHTTPClientTransport(new URL(`${server.address}/mcp/`)));
    const ran = leaving.callTool({ name: 'run_cell', arguments: { session_id, cell_id } });
    await socket.frame(({ type, payload }) => type === 'cell_status' && payload.status === 'running');
    const stopped = socket.frame(({ type, payload }) => type === 'cell_status' && payload.status !== 'running');
    await Promise.all([leaving.close(), assert.rejects(ran)]);
    await stopped;
    socket.close();
    await call('close_notebook', { session_id });
  });

  it('takes a call back and stays: what ran for it ends, what others run goes on', async () => {
    const session_id = String((await call('create_notebook', { name: 'Taken back' })).session_id);
    const { id: cell_id } = await call('add_cell', { session_id, source: 'import time\ntime.sleep(600)' });
    const socket = await openSocket(server.address, `/v1/notebooks/ws/${session_id}`);
    const other = new Client({ name: 'other', version: '1' });
    await other.connect(new StreamableHTTPClientTransport(new URL(`${server.address}/mcp/`)));
    const enough = new AbortController();
    const run = { name: 'run_cell', arguments: { session_id, cell_id } };
    const ran = client.callTool(run, { signal: enough.signal });
    await socket.frame(({ type, payload }) => type === 'cell_status' && payload.status === 'running');
    // Calls of another client have the same numbers.
    for (let requestId = 0; requestId < 20; requestId += 1)
      await other.notification({ method: 'notifications/cancelled', params: { requestId } });
    assert.equal(Object(await call('get_cell', { session_id, cell_id })).status, 'running');
    const stopped = socket.frame(({ type, payload }) => type === 'cell_status' && payload.status !== 'running');
    enough.abort('enough');
    await Promise.all([assert.rejects(ran, /enough/), stopped]);
    assert.equal(Object(await call('run_snippet', { session_id, source: '1 + 1' })).status, 'ready');
    await other.close();
    socket.close();
    await call('close_notebook', { session_id });
  });

  it('goes from nothing to a tested notebook', async () => {
    const created = await call('create_notebook', { name: 'Agents' });
    const session_id = String(created.session_id);
    const socket = await openSocket(server.address, `/v1/notebooks/ws/${session_id}`);
    const noted = socket.frame(({ type }) => type === 'agent_note');
    const data = await call('run_snippet', { session_id, source: 'numbers = [3, 1, 2]\nnumbers', author: 'ada' });
    assert.deepEqual((await noted).payload, { source: 'mcp', text: 'run_snippet' });
    assert.deepEqual(
      [data.status, Object(data.run).status, Object(data.outputs)[0].preview],
      ['ready', 'ok', [3, 1, 2]],
    );
    assert.equal(data.created_by, 'ada');
    const total = await call('add_cell', { session_id, source: 'def total(): return sum(numbers)\nresult = total()' });
    const cell_id = String(total.id);
    assert.equal(Object(await call('run_cell', { session_id, cell_id })).status, 'ok');
    const tested = await call('run_tests', {
      session_id,
      cell_id,
      test_source: 'def test_total(cell): assert cell.total() == 6\n',
    });
    assert.deepEqual([tested.passed, tested.failed, tested.errored], [1, 0, 0]);
    assert.deepEqual(Object(await call('get_variable', { session_id, name: 'result' })).defined_in, cell_id);
    assert.deepEqual(await call('search', { session_id, text: 'sum(' }), {
      total: 1,
      matches: [{ cell_id, line: 1, text: 'def total(): return sum(numbers)' }],
    });
    await call('edit_cell', { session_id, cell_id, source: 'result = 1 / 0' });
    const failed = await call('run_all', { session_id });
    assert.deepEqual(
      Object(failed.cells).map(({ status }: { status: string }) => status),
      ['ready', 'error'],
    );
    const read = await client.readResource({ uri: `svc://notebook/${session_id}/cell/${cell_id}` });
    assert.match(String(Object(read.contents)[0].text), /ZeroDivisionError/);
    await call('remove_cell', { session_id, cell_id });
    assert.deepEqual(Object(await call('status', { session_id })).cells.length, 1);
    assert.deepEqual(await call('close_notebook', { session_id }), { closed: session_id });
    assert.deepEqual(await call('list_notebooks'), { result: [] });
    const again = await call('open_notebook', { path: created.path });
    assert.equal(Object(await call('get_notebook', { session_id: again.session_id })).cells[0].status, 'ready');
    await socket.close();
  });

  it('finds every tool described, with hints about what it does', async () => {
    const { tools } = await client.listTools();
    assert.ok(tools.length >= 25);
    for (const { name, description, annotations, inputSchema } of tools) {
      assert.ok(description && annotations && inputSchema.type === 'object', name);
    }
    assert.equal(tools.find(({ name }) => name === 'remove_cell')?.annotations?.destructiveHint, true);
    assert.deepEqual(
      (await client.listPrompts()).prompts.map(({ name }) => name),
      ['explain_notebook', 'fix_failing_cells', 'write_tests'],
    );
  });

  it('takes over a cell that somebody else changed moments ago only when it says so', async () => {
    const { session_id } = await call('create_notebook', { name: 'Held' });
    const { id } = await call('add_cell', { session_id, source: 'x = 1', author: 'ada' });
    const change = (value: number, author: string, force?: boolean) => ({
      ...{ session_id, cell_id: id, source: `x = ${value}`, author },
      ...(force === undefined ? {} : { force }),
    });
    await call('edit_cell', change(2, 'ada'));
    assert.match(await refused('edit_cell', change(3, 'bob')), /send it again with force to take it over/);
    assert.equal((await call('edit_cell', change(4, 'bob', true))).source, 'x = 4');
  });

  it('is told what was wrong', async () => {
    assert.match(await refused('get_notebook', { session_id: 'nobody' }), /not found/i);
    assert.match(await refused('create_notebook', { name: '../x' }), /name/i);
    const { session_id } = await call('create_notebook', { name: 'Wrong' });
    assert.match(await refused('run_cell', { session_id, cell_id: 'zz' }), /no cell with id 'zz'/);
    assert.match(await refused('set_variant', { session_id, group: 'g', active: 'a' }), /g/);
  });
});

describe('without the setting', () => {
  it('there is no endpoint', async () => {
    await using plain = await startServer();
    const answer = await plain.rest.post('/mcp/', { json: {} });
    assert.equal(answer.status === 404 || answer.status === 405, true);
  });
});
