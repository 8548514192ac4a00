// Everything at once on a notebook that is being deleted: each request is done or refused in words, and the notebook is gone.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { it } from 'node:test';
import { createTestNotebook } from './kit/notebook.ts';
import { startServer } from './kit/server.ts';

it('edits, runs and opens that race a delete are done or refused', async () => {
  await using server = await startServer();
  for (const [round, place] of [0, 6].entries()) {
    const notebook = await createTestNotebook(server, `Race ${round}`);
    const cell = await notebook.add('x = 0');
    const requests = [
      ...Array.from({ length: 6 }, (_, at) => () => notebook.edit(cell, `x = ${at}`)),
      () => notebook.request('POST', '/cells', {}),
      () => notebook.request('PUT', '/name', { name: 'Other' }),
      () => notebook.request('PUT', '/env', { env: { A: '1' } }),
      () => notebook.request('PUT', '/connections', { connections: [] }),
      () => notebook.request('DELETE', `/cells/${cell}`),
      () => server.rest.post('/v1/notebooks/open', { json: { path: notebook.path } }),
    ];
    const racing = requests.toSpliced(place, 0, () => notebook.request('DELETE', ''));
    const answers = await Promise.all(racing.map((send) => send()));
    const odd = answers.filter(({ status }) => ![200, 404, 409].includes(status));
    assert.deepEqual([answers[place]?.status, odd.map(({ status, text }) => `${status} ${text}`)], [200, []]);
    assert.equal(fs.existsSync(`${notebook.path}/notebook.toml`), false);
    const again = await server.rest.post('/v1/notebooks/open', { json: { path: notebook.path } });
    assert.equal(again.status, 404);
  }
});
