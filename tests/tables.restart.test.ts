// Scans that were ordered as artifacts, asked for after their server was killed: each has come to an end, and what is ready is
// there.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { buildNow, buildOnce, isOver } from './kit/builds.ts';
import { ordered, rowsAt } from './kit/scan.ts';
import { newHome, startServer } from './kit/server.ts';
import { createWarehouse } from './kit/warehouse.ts';

it('knows every scan that was answered for, also after kill -9', async () => {
  await using warehouse = await createWarehouse(`
t = catalog.create_table("db.rows", schema=pa.schema([("n", pa.int64())]))
t.append(pa.table({"n": list(range(1000))}))`);
  const home = newHome();
  const first = await startServer({ home });
  const order = (below: number, refresh = false) =>
    ordered(first, warehouse.uri('rows'), {
      mode: 'artifact',
      refresh,
      params: { filters: [{ column: 'n', op: '<', value: below }] },
    });
  const idOf = async (...asked: Parameters<typeof order>): Promise<string> => (await order(...asked)).build_id ?? '';
  const whole = await idOf(7);
  await buildOnce(first, whole, isOver);
  const again = await idOf(7, true);
  await buildOnce(first, again, isOver);
  const rest = await Promise.all(Array.from({ length: 12 }, (_, place) => idOf(100 + place)));
  await first.stop('SIGKILL');

  await using second = await startServer({ home });
  const builds = await Promise.all([whole, again].map((id) => buildNow(second, id)));
  assert.deepEqual(
    builds.map(({ state, version, error_message }) => [state, version, error_message]),
    [
      ['ready', 1, null],
      ['ready', 2, null],
    ],
  );
  for (const { artifact_id, version } of builds)
    assert.equal((await rowsAt(second, `/v1/artifacts/${artifact_id}/v/${version}/data`)).rows.length, 7);
  for (const id of rest) assert.ok(isOver(await buildNow(second, id)));
});
