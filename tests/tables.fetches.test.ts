// How many row groups are fetched at once is what was set, whatever the number of cores: most of it is waiting for a store.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { availableParallelism } from 'node:os';
import { it } from 'node:test';
import { bucket, startObjectStore } from './kit/objectStores.ts';
import { ordered, rowsAt } from './kit/scan.ts';
import { startServer } from './kit/server.ts';
import { createWarehouse } from './kit/warehouse.ts';

/** In front of a store: once told, all data files of a table but the first one asked for are held, until so many are. */
async function startHolder(target: string, wanted: number) {
  const held = new Map<string, (() => void)[]>();
  let most = 0;
  let isHolding = false;
  /** A scan begins with one alone. */
  let first: string | undefined;
  const server = http.createServer((request, response) => {
    const pass = (): void => {
      const onward = http.request(
        `${target}${request.url}`,
        { method: request.method, headers: request.headers },
        (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(response);
        },
      );
      request.pipe(onward);
    };
    const [file = ''] = /[^/]+\.parquet/.exec(request.url ?? '') ?? [];
    if (isHolding && file !== '') first ??= file;
    if (!isHolding || file === '' || file === first) return pass();
    held.set(file, [...(held.get(file) ?? []), pass]);
    most = Math.max(most, held.size);
    if (held.size < wanted) return;
    isHolding = false;
    for (const go of [...held.values()].flat()) go();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return {
    url: `http://127.0.0.1:${address.port}`,
    hold: () => {
      isHolding = true;
    },
    most: () => most,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

it('a scan waits for as many files of a store as it was allowed to', async (t) => {
  const parallelism = availableParallelism() + 3;
  const files = parallelism + 2;
  const running = await startObjectStore(t, 's3');
  if (!running) return;
  await using objects = running;
  await using holder = await startHolder(objects.settings.SVC_S3_ENDPOINT_URL ?? '', parallelism);
  // The catalog lies here, the table in the store.
  await using warehouse = await createWarehouse(`
catalog.properties.update({"s3.endpoint": "${holder.url}", "s3.access-key-id": "tests", "s3.secret-access-key": "tests", "s3.region": "us-east-1"})
t = catalog.create_table("db.far", schema=pa.schema([("id", pa.int64())]), location="s3://${bucket}/far")
for id in range(${files}):
    t.append(pa.table({"id": [id]}))`);
  await using server = await startServer({
    env: {
      ...objects.settings,
      SVC_S3_ENDPOINT_URL: holder.url,
      SVC_S3_REQUEST_TIMEOUT_SECONDS: '60',
      SVC_FETCH_PARALLELISM: String(parallelism),
      SVC_MAX_FETCH_WORKERS: String(parallelism + 1),
    },
  });
  assert.match(
    (await server.rest.get('/metrics/prometheus')).text,
    new RegExp(`^svc_fetch_executor_workers ${parallelism + 1}$`, 'm'),
  );
  const { stream_url } = await ordered(server, warehouse.uri('far'));
  holder.hold();
  const rows = await rowsAt(server, stream_url);
  assert.deepEqual([rows.status, rows.rows.length, holder.most()], [200, files, parallelism]);
});
