// The desk on a notebook that another server has open: what a program does there arrives in one request, and ends when the
// program does not want it any more.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createRemoteDesk } from '../src/desk/index.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { startServer } from './kit/server.ts';
import { until } from './kit/until.ts';

it('adds a cell with its text at once, and stops what nobody waits for', async () => {
  await using server = await startServer();
  const notebook = await createTestNotebook(server);
  const desk = createRemoteDesk({ server: server.address, session: notebook.sessionId, headers: {} });
  const { id, source } = await desk.add({
    source: 'import time\nprint("begun")\ntime.sleep(600)',
    author: 'a program',
  });
  assert.equal(source, 'import time\nprint("begun")\ntime.sleep(600)');
  const leaving = new AbortController();
  const running = desk.run(id, 'normal', leaving.signal);
  await until(async () => (await notebook.cell(id)).status === 'running', 'the cell runs');
  leaving.abort();
  const { status, error } = await running;
  assert.deepEqual([status, error], ['error', 'Cancelled before it finished']);
});

it('says in words that nobody is there, and what a server refuses', async () => {
  await using server = await startServer();
  const notebook = await createTestNotebook(server);
  const desk = createRemoteDesk({ server: server.address, session: notebook.sessionId, headers: {} });
  await assert.rejects(desk.remove('nowhere'), { name: 'RemoteRefused', message: 'Cell not found' });
  const away = createRemoteDesk({ server: 'http://127.0.0.1:9', session: 'x', headers: {} });
  await assert.rejects(away.cells(), {
    name: 'RemoteRefused',
    message: /^http:\/\/127\.0\.0\.1:9 cannot be reached: /,
  });
});
