// Publishing a result of a notebook on a service: only for whoever may publish.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { asserted, startProxied } from './kit/service.ts';

it('publishing needs its own scope beside that of the notebook; looking does not', async () => {
  await using server = await startProxied();
  const as = (scopes: string) => ({ headers: asserted({ principal: 'ann', scopes }) });
  const writing = 'notebook:read notebook:write';
  const made = await server.rest.post('/v1/notebooks/create', {
    json: { parent_path: '.', name: 'Ours', starter_cell: true },
    ...as(writing),
  });
  const { session_id, cells } = Object(made.json);
  const json = { cell_id: cells[0].id, variable: 'x' };
  const place = `/v1/notebooks/${session_id}/publish`;
  const ask = async (where: string, scopes: string) => {
    const { status, json: body } = await server.rest.post(where, { json, ...as(scopes) });
    return [status, Object(body).detail];
  };
  const looked = await ask(`${place}/preflight`, 'notebook:read');
  assert.deepEqual(looked, [
    404,
    `Cell '${json.cell_id}' has no stored results; run it first. Values are stored when another cell reads them.`,
  ]);
  assert.deepEqual(
    [await ask(place, writing), await ask(place, 'notebook:read artifacts:publish'), (await ask(place, ''))[0]],
    [
      [403, 'This route requires the artifacts:publish scope'],
      [403, 'This route requires the notebook:write scope'],
      403,
    ],
  );
  assert.deepEqual(await ask(place, `${writing} artifacts:publish`), looked);
});
