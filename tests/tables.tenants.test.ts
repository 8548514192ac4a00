// Tenants that scan side by side: what one has ordered or read holds up nobody of another.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import path from 'node:path';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { processesIn } from './faults/tree.ts';
import { ordered } from './kit/scan.ts';
import { newHome } from './kit/server.ts';
import { asserted, startProxied } from './kit/service.ts';
import { createWarehouse } from './kit/warehouse.ts';

const table = `
t = catalog.create_table("db.large", schema=pa.schema([("id", pa.int64())]))
t.append(pa.table({"id": list(range(2_000_000))}))
`;
const callerOf = (tenant: string): Record<string, string> =>
  asserted({ principal: 'ann', tenant, scopes: 'artifacts:read artifacts:write' });

it('a result that is still being stored is waited for by its own tenant alone', async () => {
  await using warehouse = await createWarehouse(table);
  await using server = await startProxied({
    SVC_MULTI_TENANT_ENABLED: 'true',
    SVC_SERVICE_WRITES_ENABLED: 'true',
    SVC_ARTIFACT_DIR: path.join(newHome(), 'artifacts'),
  });
  const [loud, quiet] = [callerOf('loud'), callerOf('quiet')];
  const { stream_url } = await ordered(server, warehouse.uri('large'), { headers: loud });
  const request = http.get(`${server.address}${stream_url}`, { agent: false, headers: loud });
  const [response]: http.IncomingMessage[] = await once(request, 'response');
  assert.ok(response);
  // Read nearly to its end: the processes that read the table have done their part, and then stand still.
  for (let length = 0; length < 15_000_000; ) {
    const chunk: Buffer | null = response.read();
    if (chunk) length += chunk.length;
    else await once(response, 'readable');
  }
  const engines = processesIn('data engine', server.process.pid ?? 0);
  const signal = (name: NodeJS.Signals): void => engines.forEach((pid) => void process.kill(pid, name));
  const names = async (headers: Record<string, string>): Promise<number> =>
    (await server.rest.get('/v1/names', { headers })).status;
  signal('SIGSTOP');
  response.resume();
  await once(response, 'end');
  const answered: string[] = [];
  const own = names(loud).then((status) => answered.push(`loud ${status}`));
  // Where nobody but the store is waited for, this comes back although nothing can be stored.
  await Promise.race([names(quiet).then((status) => answered.push(`quiet ${status}`)), own, pause(10_000)]);
  signal('SIGCONT');
  await own;
  assert.deepEqual(answered, ['quiet 200', 'loud 200']);
});
