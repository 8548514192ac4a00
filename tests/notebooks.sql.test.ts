// SQL cells on a real server: SQLite and DuckDB files, values bound as parameters, rows read by Python, cached results.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { createTestNotebook, openTestNotebook, type TestNotebook } from './kit/notebook.ts';
import type { Answer } from './kit/rest.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { addSql, setConnections, shown } from './kit/sql.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server[Symbol.asyncDispose]());

const part = ({ json }: Answer, key: string): unknown => z.looseObject({}).parse(json)[key];

function orders(notebook: TestNotebook, rows = 3): DatabaseSync {
  const database = new DatabaseSync(path.join(notebook.path, 'shop.db'));
  database.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY, who TEXT NOT NULL, price REAL, big INTEGER)');
  for (let id = 1; id <= rows; id += 1)
    database.prepare('INSERT INTO orders VALUES (?, ?, ?, ?)').run(id, `n${id}`, id / 2, 9007199254740993n);
  return database;
}

/** Processes of the server that run queries. */
function sqlProcesses(): number[] {
  const children = fs.readFileSync(`/proc/${server.process.pid}/task/${server.process.pid}/children`, 'utf8');
  return children
    .trim()
    .split(' ')
    .map(Number)
    .filter((pid) => /svc_engine\/__main__\.py\0sql\0$/.test(fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8')));
}

async function withShop(name: string): Promise<{ notebook: TestNotebook; database: DatabaseSync }> {
  const notebook = await createTestNotebook(server, name);
  const database = orders(notebook);
  const connections = [
    { name: 'shop', driver: 'sqlite', path: 'shop.db' },
    { name: 'mem', driver: 'duckdb', path: ':memory:' },
  ];
  await setConnections(notebook, connections);
  return { notebook, database };
}

describe('a SQL cell', () => {
  it('shows nanoseconds to the last of them', async () => {
    const { notebook } = await withShop('Nanoseconds');
    const moment = "SELECT TIMESTAMP_NS '2026-01-01 00:00:00.000000001' AS at";
    const ran = await notebook.run(await addSql(notebook, `# @sql connection=mem\n${moment}`));
    const text = '1 rows × 1 cols\n\n| at |\n| --- |\n| 2026-01-01 00:00:00.000000001 |';
    assert.deepEqual([ran.error, ran.display?.markdown_text], [null, text]);
  });

  it('reads a database file of DuckDB 2', async () => {
    const notebook = await createTestNotebook(server, 'Newer');
    const packed = fs.readFileSync(new URL('./fixtures/duckdb2.db.gz', import.meta.url));
    fs.writeFileSync(path.join(notebook.path, 'newer.duckdb'), gunzipSync(packed));
    await setConnections(notebook, [{ name: 'newer', driver: 'duckdb', path: 'newer.duckdb' }]);
    const ran = await notebook.run(
      await addSql(notebook, '# @sql connection=newer\nSELECT word FROM orders WHERE id = 2'),
    );
    assert.deepEqual([ran.error, ran.display?.markdown_text], [null, '1 rows × 1 cols\n\n| word |\n| --- |\n| ü2 |']);
  });

  it('gives its rows to Python cells as an Arrow table, and shows the first of them', async () => {
    const { notebook } = await withShop('Rows');
    const query = await addSql(notebook, '# @sql connection=shop\n# @name found\nSELECT * FROM orders -- all\n');
    const ran = await notebook.run(query);
    assert.equal(ran.error, null);
    assert.deepEqual(
      { method: ran.execution_method, text: ran.display?.markdown_text, kind: ran.display?.content_type },
      {
        method: 'sql',
        kind: 'text/markdown',
        text: [
          '3 rows × 4 cols',
          '',
          '| id | who | price | big |',
          '| --- | --- | --- | --- |',
          '| 1 | n1 | 0.5 | 9007199254740993 |',
          '| 2 | n2 | 1.0 | 9007199254740993 |',
          '| 3 | n3 | 1.5 | 9007199254740993 |',
        ].join('\n'),
      },
    );
    const reader = await notebook.add('str((type(found), found.schema.types, found["big"][0].as_py()))');
    assert.match(String((await notebook.run(reader)).display?.preview), /pyarrow.lib.Table.*int64.*9007199254740993/s);
  });

  it('binds values of other cells, whatever they hold', async () => {
    const { notebook } = await withShop('Binds');
    await notebook.run(await notebook.add(`who = "n1' OR '1'='1"\nfloor = 1\nmany = [1]`));
    const none = await addSql(notebook, '# @sql connection=shop\nSELECT id FROM orders WHERE who = :who');
    assert.match(shown(await notebook.run(none)), /^0 rows × 1 cols/);
    const some = await addSql(
      notebook,
      "# @sql connection=shop\nSELECT count(*) AS n, ':no' AS t FROM orders WHERE id > :floor /* :not */",
    );
    assert.match(shown(await notebook.run(some)), /\| 2 \| :no \|$/);
    assert.deepEqual((await notebook.cell(some)).references, ['floor']);
    const list = await addSql(notebook, '# @sql connection=shop\nSELECT :many');
    assert.match((await notebook.run(list)).error ?? '', /:many is a list; a parameter is one of None, bool/);
    const missing = await addSql(notebook, '# @sql connection=shop\nSELECT :zz');
    assert.match((await notebook.run(missing)).error ?? '', /:zz is not defined/);
  });

  it('is served again until what it reads has changed', async () => {
    const { notebook, database } = await withShop('Fresh');
    const query = await addSql(notebook, '# @sql connection=shop\nSELECT count(*) AS n FROM orders');
    const hits = async (): Promise<boolean> => (await notebook.run(query)).cache_hit;
    assert.deepEqual([await hits(), await hits()], [false, true]);
    await notebook.edit(query, '# @sql connection=shop\n\nselect count(*) as n -- how many\nfrom orders;');
    assert.equal(await hits(), true);
    database.exec('DELETE FROM orders WHERE id = 1');
    assert.equal(await hits(), false);
    await notebook.edit(query, '# @sql connection=shop\n# @cache forever\nSELECT count(*) AS n FROM orders');
    assert.deepEqual([await hits(), await hits()], [false, true]);
    database.exec('DELETE FROM orders WHERE id = 2');
    assert.equal(await hits(), true);
    await notebook.edit(query, '# @sql connection=shop\n# @cache snapshot\nSELECT 1');
    assert.match((await notebook.run(query)).error ?? '', /@cache snapshot needs a database that keeps snapshots/);
    await notebook.edit(query, '# @sql connection=shop\n# @cache forever\nSELECT count(*) AS n FROM orders');
    await notebook.request('POST', '/close');
    const reopened = await openTestNotebook(server, notebook.path);
    assert.equal((await reopened.run(query)).cache_hit, true);
  });

  it('only reads, unless it says that it writes; a write is told statement by statement', async () => {
    const { notebook, database } = await withShop('Writes');
    const refused = {
      'DELETE FROM orders': /DELETE is not a read.*write=true/,
      'SELECT 1; DROP TABLE orders': /DROP TABLE is not a read/,
      "ATTACH 'x.db' AS x": /ATTACH is not a read/,
      'PRAGMA journal_mode=WAL': /PRAGMA is not a read/,
      'SELECT * FROM orders WHERE': /SQL parse error: .*line 1/,
      '': /empty/,
    };
    const cell = await addSql(notebook, '# @sql connection=shop\nSELECT 1');
    for (const [text, message] of Object.entries(refused)) {
      await notebook.edit(cell, `# @sql connection=shop\n${text}`);
      assert.match((await notebook.run(cell)).error ?? '', message);
    }
    const write = `# @sql connection=shop write=true\nCREATE TABLE log (n);\nINSERT INTO log VALUES (1), (2); UPDATE log SET n = 3`;
    await notebook.edit(cell, write);
    assert.equal(
      (await notebook.run(cell)).display?.markdown_text,
      '3 rows × 3 cols\n\n| stmt | kind | rows_affected |\n| --- | --- | --- |\n| 1 | CREATE TABLE | NULL |\n| 2 | INSERT | 2 |\n| 3 | UPDATE | 2 |',
    );
    assert.equal((await notebook.run(cell)).cache_hit, true);
    assert.deepEqual({ ...database.prepare('SELECT count(*) AS n FROM log').get() }, { n: 2 });
    await notebook.edit(
      cell,
      '# @sql connection=shop write=true\nINSERT INTO log VALUES (4); INSERT INTO nowhere VALUES (5)',
    );
    assert.match((await notebook.run(cell)).error ?? '', /SQL execution failed: no such table: nowhere/);
    assert.deepEqual({ ...database.prepare('SELECT count(*) AS n FROM log').get() }, { n: 2 });
    await notebook.edit(cell, '# @sql connection=shop write=true\n# @cache fingerprint\nDELETE FROM log');
    assert.match((await notebook.run(cell)).error ?? '', /@cache fingerprint is for cells that read/);
  });

  it('reads the table of another cell in DuckDB, and again only when that has changed', async () => {
    const { notebook } = await withShop('Upstream');
    const frame = await notebook.add(
      'import pyarrow as pa\nsales = pa.table({"shop": ["a", "b", "a"], "n": [1, 2, 3]})',
    );
    await notebook.run(frame);
    const query = await addSql(
      notebook,
      '# @sql connection=mem\nSELECT shop, sum(n)::BIGINT AS n FROM :sales GROUP BY shop ORDER BY shop',
    );
    const first = await notebook.run(query);
    assert.match(shown(first), /\| a \| 4 \|\n\| b \| 2 \|$/);
    assert.equal((await notebook.run(query)).cache_hit, true);
  });

  it('says what is wrong with its query and its connection as it is written', async () => {
    const { notebook } = await withShop('Diagnosed');
    const cell = await addSql(notebook, '# @sql connection=nowhere\nSELECT 1');
    const codes = async (): Promise<string[]> =>
      (await notebook.cell(cell)).annotation_diagnostics.map(({ code }) => code);
    assert.deepEqual(await codes(), ['sql_connection_unknown']);
    assert.match((await notebook.run(cell)).error ?? '', /Connection 'nowhere' is not declared/);
    await notebook.edit(cell, 'SELECT 1');
    assert.deepEqual(await codes(), ['sql_connection_missing']);
    assert.match((await notebook.run(cell)).error ?? '', /names no connection/);
    await notebook.edit(cell, '# @sql connection=mem\nSELECT * FROM');
    assert.deepEqual(await codes(), ['sql_parse_error']);
    await notebook.edit(cell, "# @sql connection=mem\nSELECT * FROM read_csv('x.csv')");
    assert.deepEqual(await codes(), ['sql_dynamic_table']);
  });

  it('is in nobody’s way, and fails alone when its process dies', { skip: process.platform !== 'linux' }, async () => {
    const { notebook } = await withShop('Killed');
    const other = await withShop('Beside');
    const forever = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n';
    const cell = await addSql(notebook, `# @sql connection=shop\n# @cache session\n${forever}`);
    const running = notebook.run(cell);
    await notebook.socket.frame(({ type, payload }) => type === 'cell_status' && payload.status === 'running');
    const quick = await addSql(other.notebook, '# @sql connection=shop\nSELECT count(*) AS n FROM orders');
    assert.match(shown(await other.notebook.run(quick)), /\| 3 \|$/);
    for (const pid of sqlProcesses()) process.kill(pid, 'SIGKILL');
    assert.match((await running).error ?? '', /The sql process died/);
    await notebook.edit(cell, '# @sql connection=shop\nSELECT 1 AS one');
    assert.equal((await notebook.run(cell)).error, null);
  });

  it('takes names of mounts for words, whatever they hold and whichever database it asks', async () => {
    const { notebook } = await withShop('Names');
    const mounts = ['(((a+)+)+)+$', 'x('];
    await setConnections(notebook, [{ name: 'shop', driver: 'sqlite', path: 'shop.db', mounts }]);
    const source = `# @sql connection=shop\nSELECT count(*) AS n FROM orders -- ${'a'.repeat(40)}!`;
    const cell = await addSql(notebook, source);
    assert.equal(shown(await notebook.run(cell)), '1 rows × 1 cols\n\n| n |\n| --- |\n| 3 |');
  });

  it('lets go of the notebook when it is cancelled', async () => {
    const { notebook } = await withShop('Cancel');
    const forever = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n';
    const cell = await addSql(notebook, `# @sql connection=shop\n${forever}`);
    const running = notebook.run(cell);
    await notebook.socket.frame(({ type, payload }) => type === 'cell_status' && payload.status === 'running');
    notebook.socket.send('cell_cancel', { cell_id: cell });
    assert.match((await running).error ?? '', /[Cc]ancelled/);
    await notebook.edit(cell, '# @sql connection=shop\nSELECT 1 AS one');
    assert.equal((await notebook.run(cell)).error, null);
  });
});

describe('connections', () => {
  it('are replaced as a list, shown without secrets, and kept when they were shown', async () => {
    const notebook = await createTestNotebook(server, 'Connections');
    const wh = {
      name: 'wh',
      driver: 'postgresql',
      uri: 'postgresql://u:hidden-word@h/db',
      auth: { user: `\${WHO}`, password: 'hidden-word' },
      options: { timeout: 3 },
    };
    const put = await notebook.request('PUT', '/connections', { connections: [wh] });
    const seen = {
      name: 'wh',
      driver: 'postgresql',
      auth: { user: `\${WHO}`, password: '' },
      options: { timeout: 3 },
      credential: null,
      uri: 'postgresql://u:***@h/db',
    };
    assert.deepEqual([put.status, part(put, 'connections'), part(put, 'malformed_connections')], [200, [seen], []]);
    assert.deepEqual((await notebook.request('GET', '/connections')).json, { connections: [seen] });
    assert.doesNotMatch(JSON.stringify(await notebook.state()), /hidden-word/);
    assert.equal((await notebook.request('PUT', '/connections', { connections: [seen] })).status, 200);
    const twice = await notebook.request('PUT', '/connections', { connections: [wh, wh] });
    assert.deepEqual([twice.status, part(twice, 'detail')], [400, "duplicate connection name 'wh'"]);
    assert.equal(
      (await notebook.request('PUT', '/connections', { connections: [{ name: 'a b', driver: 'x' }] })).status,
      422,
    );
    assert.deepEqual(part(await notebook.request('PUT', '/connections', {}), 'connections'), []);
  });

  it('tell the tables of their database', async () => {
    const { notebook } = await withShop('Browse');
    assert.deepEqual((await notebook.request('GET', '/connections/shop/schema')).json, {
      connection: 'shop',
      driver: 'sqlite',
      tables: [
        {
          catalog: null,
          schema: null,
          name: 'orders',
          columns: [
            { name: 'id', type: 'INTEGER', nullable: true },
            { name: 'who', type: 'TEXT', nullable: false },
            { name: 'price', type: 'REAL', nullable: true },
            { name: 'big', type: 'INTEGER', nullable: true },
          ],
        },
      ],
    });
    const connections = [
      { name: 'odd', driver: 'oracle' },
      { name: 'lost', driver: 'sqlite', path: 'lost/none.db' },
      { name: 'unset', driver: 'postgresql', auth: { password: `\${NOT_SET_ANYWHERE}` } },
    ];
    await notebook.request('PUT', '/connections', { connections });
    const answers = await Promise.all(
      ['none', 'odd', 'lost', 'unset'].map(async (name) => {
        const answer = await notebook.request('GET', `/connections/${name}/schema`);
        return [answer.status, part(answer, 'detail')];
      }),
    );
    assert.deepEqual(answers, [
      [404, "unknown connection 'none'"],
      [400, "unknown SQL driver: 'oracle'. Known drivers: bigquery, duckdb, postgresql, snowflake, sqlite"],
      [502, "failed to open connection 'lost': unable to open database file"],
      [400, "connection 'unset': auth.password refers to NOT_SET_ANYWHERE, which is not set"],
    ]);
  });
});
