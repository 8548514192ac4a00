// What a request asks of a store that has grown for years is found by an index: PostgreSQL itself tells how it went about every
// query that the server sent.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import { openMetadata } from '../src/database/index.ts';
import { begunBuild, buildOnce, isOver, orderBuild } from './kit/builds.ts';
import { arrowOf, startExecutor } from './kit/executor.ts';
import { fillRows } from './kit/manyRows.ts';
import { startPostgres } from './kit/postgres.ts';
import { startServer } from './kit/server.ts';
import { until } from './kit/until.ts';

const arrow = 'application/vnd.apache.arrow.stream';
const versions = 100_000;
const one = '/v1/artifacts/artifact-4242/v/1';

/** Of another that was made from another, and so on. */
const made = 'svc://artifact/artifact-4243@v=1';
const provenance = 'a'.repeat(64);

/** Not here: stats, usage and the sweep count everything, summary, names and publications answer everything. */
const requests: readonly (readonly [status: number, method: string, path: string, json?: unknown])[] = [
  [200, 'GET', '/v1/artifacts'],
  [200, 'GET', '/v1/artifacts?limit=10&offset=50'],
  [200, 'GET', '/v1/artifacts?state=ready'],
  [200, 'GET', '/v1/artifacts?state=building'],
  [200, 'GET', '/v1/artifacts?state=failed'],
  [200, 'GET', '/v1/artifacts?name_prefix=team-3/name-100'],
  [200, 'GET', '/v1/artifacts?since=1099000'],
  [200, 'GET', '/v1/artifacts?sort=byte_size&order=desc'],
  [200, 'GET', '/v1/artifacts?sort=row_count&order=asc&offset=10'],
  [200, 'GET', one],
  [200, 'GET', `${one}/lineage`],
  [200, 'GET', `${one}/dependents`],
  [200, 'GET', `${one}/tags`],
  [200, 'PUT', `${one}/tags`, { key: 'quarter', value: 'q1' }],
  [200, 'DELETE', `${one}/tags/quarter`],
  [200, 'POST', `${one}/pin`, { reason: 'here' }],
  [200, 'DELETE', `${one}/pin?reason=here`],
  [404, 'GET', `/v1/artifacts/by-provenance/${provenance}`],
  [200, 'GET', '/v1/names/team-0/name-70'],
  [200, 'POST', '/v1/names', { name: 'mine', artifact_id: 'artifact-4242', version: 1 }],
  [200, 'PUT', '/v1/names/mine/aliases/champion', { artifact_id: 'artifact-4242', version: 1 }],
  [200, 'DELETE', '/v1/names/mine'],
  [200, 'GET', '/v1/registry/artifacts?tag_key=quarter&tag_value=q10'],
  [200, 'GET', '/v1/registry/audit?limit=10'],
  [200, 'GET', '/v1/registry/audit?name=team-0/name-70'],
  [200, 'GET', '/v1/registry/pending'],
  [200, 'GET', '/v1/artifacts/builds/build-42'],
  [200, 'PUT', '/v1/artifacts', { inputs: [made], transform: { executor: 'sum@v1' }, data: { s: [6] }, name: 'sum' }],
  [
    200,
    'POST',
    '/v1/artifacts/explain-materialize',
    { inputs: [made], transform: { executor: 'sum@v1' }, name: 'sum' },
  ],
  [200, 'GET', '/v1/artifacts/names/sum/status'],
  [200, 'DELETE', '/v1/artifacts/artifact-99/v/1'],
];

interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

/** A page of answers is a hundred. */
const many = 2000;

const wholePlan = /plan:\n((?:\t.*\n)*?\t\}\n)/;

/** The queries that looked at more rows of a table than any answer has. */
function largeReads(log: string): string[] {
  const read = (plan: Plan): string[] => {
    const rows = plan['Actual Loops'] * (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0));
    const table = plan['Relation Name'];
    return [
      ...(table !== undefined && rows > many ? [`${rows} of ${table}`] : []),
      ...(plan.Plans ?? []).flatMap(read),
    ];
  };
  return [...log.matchAll(new RegExp(wholePlan, 'g'))].flatMap(([, text = '']) => {
    const { 'Query Text': query, Plan: plan } = JSON.parse(text.replace(/^\t/gm, ''));
    const found = read(plan);
    return found.length === 0 ? [] : [`${found.join(', ')}: ${String(query).replace(/\s+/g, ' ')}`];
  });
}

it('every query of a request goes by an index, however much is stored', async (t) => {
  const explain = ['log_min_duration=0', 'log_format=json', 'log_analyze=on', 'log_timing=off'].map(
    (each) => `auto_explain.${each}`,
  );
  await using postgres = await startPostgres(t, ['shared_preload_libraries=auto_explain', ...explain]);
  if (!postgres) return;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-plans-'));
  t.after(() => fs.rmSync(folder, { recursive: true, force: true }));
  const database = await openMetadata({ artifactDir: folder, dsn: postgres.dsn });
  await fillRows(database, versions);
  await database.close();
  await using executor = await startExecutor((_order, response) =>
    response.writeHead(200, { 'content-type': arrow, 'x-svc-executor-protocol': 'v1' }).end(arrowOf([1, 2, 3])),
  );
  await using server = await startServer({
    env: {
      SVC_ARTIFACT_METADATA_DSN: postgres.dsn,
      SVC_ARTIFACT_DIR: folder,
      SVC_TRANSFORMS_CONFIG: JSON.stringify({
        enabled: true,
        registry: [{ ref: 'double@*', executor_url: executor.url }],
      }),
    },
  });
  const found: Record<string, readonly string[]> = {};
  postgres.logged();
  for (const [status, method, place, json] of requests) {
    const answer = await server.rest.send(method, place, json === undefined ? {} : { json });
    assert.equal(answer.status, status, `${method} ${place}: ${answer.text}`);
    // What the database notes may come after its answer.
    let log = '';
    await until(
      () => {
        log += postgres.logged();
        return wholePlan.test(log);
      },
      `${method} ${place} asks the database`,
      { seconds: 20 },
    );
    const reads = largeReads(log);
    if (reads.length > 0) found[`${method} ${place}`] = reads;
  }
  // A build from its order to its result: places, leases, and whoever asks how it is.
  const build = await begunBuild(server, 'double@v1', { params: { of: 1 }, name: 'doubled' });
  assert.equal((await buildOnce(server, build, isOver)).state, 'ready');
  const hit = await orderBuild(server, 'double@v1', { params: { of: 1 }, name: 'doubled' });
  assert.equal(Object(hit.json).hit, true, hit.text);
  const reads = largeReads(postgres.logged());
  if (reads.length > 0) found['a build'] = reads;
  assert.deepEqual(found, {});
});
