// SQL cells on warehouses: the vendors' own drivers against small servers that answer as the warehouses do.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage } from 'node:http';
import { after, before, describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { enginePython } from '../scripts/setup/places.js';
import { listening } from './kit/listening.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { addSql, setConnections, shown, snapshotParams } from './kit/sql.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server[Symbol.asyncDispose]());

type Answer = (path: string, body: Record<string, unknown>) => object | Buffer;

async function serve(context: TestContext, answer: Answer): Promise<string> {
  const warehouse = createServer(async (request, response) => {
    const found = answer(
      `${request.method} ${URL.parse(request.url ?? '', 'http://x')?.pathname}`,
      await bodyOf(request),
    );
    const [type, bytes] = Buffer.isBuffer(found)
      ? ['application/octet-stream', found]
      : ['application/json', JSON.stringify(found)];
    response.writeHead(200, { 'content-type': type }).end(bytes);
  });
  return listening(context, warehouse);
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
  return text.length === 0 ? {} : Object(JSON.parse(text.toString()));
}

/** A query with `@cache snapshot` reads one moment, with other values too, until it is run anew. */
async function snapshotHolds(
  notebook: TestNotebook,
  { connection, moment, days }: { connection: string; moment: RegExp; days: number },
  asked: () => readonly string[],
): Promise<void> {
  const value = await notebook.add('most = "a"');
  await notebook.run(value);
  const cell = await addSql(
    notebook,
    `# @sql connection=${connection}\n# @cache snapshot\nSELECT * FROM t WHERE x = :most`,
  );
  const moments = (): string[] => asked().flatMap((text) => moment.exec(text)?.[1] ?? []);
  const first = Object(await notebook.run(cell));
  const [at = ''] = moments();
  const until = new Date(Date.parse(at) + days * 86_400_000).toISOString();
  assert.deepEqual([first.error, first.snapshot_at, first.snapshot_valid_until], [null, at, until]);
  assert.equal(first.stdout, `Snapshot of ${at}; run the cell again in mode rerun for a new one.\n`);
  assert.deepEqual(snapshotParams(notebook, cell), {
    sql_snapshot_basis: 'timestamp',
    sql_snapshot_at: at,
    sql_snapshot_valid_until: until,
  });
  assert.equal((await notebook.run(cell)).cache_hit, true);
  await notebook.edit(value, 'most = "b"');
  assert.equal((await notebook.run(cell)).cache_hit, false);
  assert.deepEqual(moments(), [at, at]);
  await notebook.run(cell, 'rerun');
  const [, , later = ''] = moments();
  assert.ok(later > at, `${later} is not after ${at}`);
  await notebook.edit(cell, `# @sql connection=${connection}\n# @cache snapshot\nSELECT * FROM t WHERE x <> :most`);
  await notebook.run(cell);
  assert.ok((moments()[3] ?? '') > later, 'another query reads another moment');
}

describe('a BigQuery connection', () => {
  it('asks with bound values and is served again until a table was modified', async (context) => {
    let modified = 1_700_000_000_000;
    const asked: unknown[] = [];
    const reference = { projectId: 'p', jobId: 'j', location: 'EU' };
    const schema = { fields: [{ name: 'n', type: 'INTEGER', mode: 'NULLABLE' }] };
    const endpoint = await serve(context, (path, body) => {
      if (path === 'POST /bigquery/v2/projects/p/jobs') {
        asked.push(Object(body.configuration).query);
        return {
          jobReference: reference,
          status: { state: 'DONE' },
          configuration: body.configuration,
          statistics: { query: { statementType: 'SELECT' } },
        };
      }
      if (path.startsWith('GET /bigquery/v2/projects/p/queries/'))
        return {
          jobReference: reference,
          jobComplete: true,
          schema,
          totalRows: '1',
          rows: [{ f: [{ v: '9007199254740993' }] }],
        };
      if (path === 'GET /bigquery/v2/projects/p/datasets/d/tables/t')
        return {
          id: 'p:d.t',
          tableReference: { projectId: 'p', datasetId: 'd', tableId: 't' },
          type: 'TABLE',
          lastModifiedTime: String(modified),
          schema,
        };
      if (path === 'GET /bigquery/v2/projects/p/datasets/d/tables')
        return { tables: [{ tableReference: { projectId: 'p', datasetId: 'd', tableId: 't' } }] };
      return {};
    });
    const notebook = await createTestNotebook(server, 'BigQuery');
    await setConnections(notebook, [
      { name: 'bq', driver: 'bigquery', project_id: 'p', dataset_id: 'd', options: { endpoint } },
    ]);
    await notebook.run(await notebook.add('floor = 3'));
    const cell = await addSql(notebook, '# @sql connection=bq\nSELECT n FROM t WHERE n > :floor');
    assert.equal(shown(await notebook.run(cell)), '1 rows × 1 cols\n\n| n |\n| --- |\n| 9007199254740993 |');
    const [first] = asked.map(Object);
    assert.deepEqual(
      [first.query, first.queryParameters],
      ['SELECT n FROM t WHERE n > ?', [{ parameterType: { type: 'INT64' }, parameterValue: { value: '3' } }]],
    );
    assert.equal((await notebook.run(cell)).cache_hit, true);
    modified += 1000;
    assert.equal((await notebook.run(cell)).cache_hit, false);
    await snapshotHolds(
      notebook,
      { connection: 'bq', moment: /FROM t FOR SYSTEM_TIME AS OF TIMESTAMP '([^']+)' WHERE/, days: 7 },
      () => asked.map((one) => String(Object(one).query)),
    );
    const browsed = Object((await notebook.request('GET', '/connections/bq/schema')).json);
    assert.deepEqual(browsed.tables, [
      { catalog: 'p', schema: 'd', name: 't', columns: [{ name: 'n', type: 'INTEGER', nullable: true }] },
    ]);
  });
});

const login = {
  success: true,
  data: { token: 't', masterToken: 'm', validityInSeconds: 3600, parameters: [], sessionInfo: {}, sessionId: 1 },
};

describe('a Snowflake connection', () => {
  it('logs in with its credentials, binds, and is served again until a table was altered', async (context) => {
    let altered = '2024-01-01';
    const asked: string[] = [];
    const logins: unknown[] = [];
    const text = (name: string): object => ({ name, type: 'text', nullable: true, length: 100, byteLength: 400 });
    const result = (columns: readonly string[], rows: readonly unknown[]): object => ({
      success: true,
      data: {
        queryId: 'q',
        parameters: [],
        rowtype: columns.map(text),
        rowset: rows,
        total: rows.length,
        returned: rows.length,
        queryResultFormat: 'json',
        finalDatabaseName: 'DB',
        finalSchemaName: 'S',
        statementTypeId: 4096,
      },
    });
    const endpoint = await serve(context, (path, body) => {
      if (path === 'POST /session/v1/login-request') {
        logins.push(Object(body.data).PASSWORD);
        return login;
      }
      if (path !== 'POST /queries/v1/query-request') return { success: true, data: {} };
      const query = String(body.sqlText);
      asked.push(`${query.split('\n')[0]} ${JSON.stringify(Object(body.bindings))}`);
      if (query.includes('last_altered')) return result(['A', 'B'], [['BASE TABLE', altered]]);
      if (query.includes('information_schema'))
        return result(['A', 'B', 'C', 'D', 'E', 'F'], [['DB', 'S', 'T', 'N', 'NUMBER', 'YES']]);
      return result(['WHO'], [['ann'], [null]]);
    });
    const notebook = await createTestNotebook(server, 'Snowflake');
    await setConnections(notebook, [
      {
        name: 'snow',
        driver: 'snowflake',
        account: 'acct',
        user: 'u',
        auth: { password: 'not-to-be-seen' },
        options: { endpoint },
      },
    ]);
    await notebook.run(await notebook.add('who = "ann"'));
    const cell = await addSql(notebook, '# @sql connection=snow\nSELECT who FROM t WHERE who = :who');
    assert.equal(shown(await notebook.run(cell)), '2 rows × 1 cols\n\n| WHO |\n| --- |\n| ann |\n| NULL |');
    assert.ok(asked.includes('SELECT who FROM t WHERE who = ? {"1":{"type":"TEXT","value":"ann"}}'), asked.join('\n'));
    assert.equal(logins[0], 'not-to-be-seen');
    assert.equal((await notebook.run(cell)).cache_hit, true);
    altered = '2024-01-02';
    assert.equal((await notebook.run(cell)).cache_hit, false);
    await snapshotHolds(
      notebook,
      { connection: 'snow', moment: /FROM t AT\(TIMESTAMP => '([^']+)'::TIMESTAMP_TZ\) WHERE/, days: 1 },
      () => asked,
    );
    const browsed = Object((await notebook.request('GET', '/connections/snow/schema')).json);
    assert.deepEqual(browsed.tables, [
      { catalog: 'DB', schema: 'S', name: 'T', columns: [{ name: 'N', type: 'NUMBER', nullable: true }] },
    ]);
    assert.doesNotMatch(server.output(), /not-to-be-seen/);
  });

  it('reads results that come as chunks of Arrow, with exact types', async (context) => {
    const [inline = Buffer.alloc(0), chunk = Buffer.alloc(0)] = await arrowChunks();
    const column = (name: string, type: string, more: object): object => ({ name, type, nullable: true, ...more });
    let endpoint = '';
    const asked: string[] = [];
    endpoint = await serve(context, (path) => {
      asked.push(path);
      if (path === 'POST /session/v1/login-request') return login;
      if (path === 'GET /chunk/1') return chunk;
      if (path !== 'POST /queries/v1/query-request') return { success: true, data: {} };
      return {
        success: true,
        data: {
          queryId: 'q',
          parameters: [],
          rowtype: [
            column('ID', 'fixed', { precision: 38, scale: 0 }),
            column('PRICE', 'fixed', { precision: 12, scale: 2 }),
            column('WHO', 'text', { length: 100, byteLength: 400 }),
            column('AT', 'timestamp_ntz', { scale: 9 }),
          ],
          rowsetBase64: inline.toString('base64'),
          chunks: [
            { url: `${endpoint}/chunk/1`, rowCount: 2, uncompressedSize: chunk.length, compressedSize: chunk.length },
          ],
          chunkHeaders: {},
          total: 3,
          returned: 3,
          queryResultFormat: 'arrow',
          finalDatabaseName: 'DB',
          finalSchemaName: 'S',
          statementTypeId: 4096,
        },
      };
    });
    const notebook = await createTestNotebook(server, 'Arrow');
    await setConnections(notebook, [
      { name: 'snow', driver: 'snowflake', account: 'acct', user: 'u', auth: { password: 'p' }, options: { endpoint } },
    ]);
    const cell = await addSql(notebook, '# @sql connection=snow\n# @name rows\n# @cache forever\nSELECT * FROM t');
    assert.equal((await notebook.run(cell)).error, null);
    const read = await notebook.add('str([[str(value) for value in row.values()] for row in rows.to_pylist()])');
    assert.equal(
      (await notebook.run(read)).display?.preview,
      "[['9007199254740993', '12.34', 'ann', '2024-01-01 00:00:00'], ['2', '-0.01', 'None', '2024-01-01 00:00:01'], ['3', 'None', 'zoë', 'None']]",
    );
    assert.ok(asked.includes('GET /chunk/1'));
  });
});

/** Two streams as Snowflake sends them: numbers as whole ones with a scale, times in nanoseconds. */
async function arrowChunks(): Promise<Buffer[]> {
  const source = `
import sys, base64, pyarrow as pa
def field(name, type, **meta):
    return pa.field(name, type, metadata={key: str(value) for key, value in meta.items()})
schema = pa.schema([
    field("ID", pa.int64(), logicalType="FIXED", precision=38, scale=0),
    field("PRICE", pa.int64(), logicalType="FIXED", precision=12, scale=2),
    field("WHO", pa.string(), logicalType="TEXT", charLength=100, byteLength=400),
    field("AT", pa.int64(), logicalType="TIMESTAMP_NTZ", scale=3),
])
def stream(*columns):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as writer:
        writer.write_batch(pa.record_batch([pa.array(c, f.type) for c, f in zip(columns, schema)], schema=schema))
    return base64.b64encode(sink.getvalue()).decode()
print(stream([9007199254740993], [1234], ["ann"], [1704067200000]))
print(stream([2, 3], [-1, None], [None, "zoë"], [1704067201000, None]))
`;
  const { stdout } = await promisify(execFile)(enginePython, ['-c', source]);
  return stdout
    .trim()
    .split('\n')
    .map((line) => Buffer.from(line, 'base64'));
}
