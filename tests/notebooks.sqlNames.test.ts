// SQL as people write it: names of data frames and of files where a query reads tables, and results that do not hide each other.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type CellRecord, cellRecord } from '../src/protocol/index.ts';
import { createTestNotebook, openTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { newHome, startServer, type TestServer } from './kit/server.ts';
import { addSql, setConnections, shown } from './kit/sql.ts';
import { until } from './kit/until.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server[Symbol.asyncDispose]());

const database = { name: 'mem', driver: 'duckdb', path: ':memory:' };

async function withMemory(name: string): Promise<TestNotebook> {
  const notebook = await createTestNotebook(server, name);
  await setConnections(notebook, [database]);
  fs.mkdirSync(path.join(notebook.path, 'work'), { recursive: true });
  return notebook;
}

const place = (notebook: TestNotebook, file: string): string => path.join(notebook.path, 'work', file);
const ask = (notebook: TestNotebook, query: string, name = 'found'): Promise<string> =>
  addSql(notebook, `# @sql connection=mem\n# @name ${name}\n${query}`);
const makeSales = (amounts: string): string =>
  `import pyarrow as pa\nsales = pa.table({"region": ["north", "south"], "amount": ${amounts}})`;
const table = (heads: readonly string[], ...rows: readonly (readonly unknown[])[]): string => {
  const line = (cells: readonly unknown[]): string => `| ${cells.join(' | ')} |`;
  return [
    `${rows.length} rows × ${heads.length} cols`,
    '',
    line(heads),
    line(heads.map(() => '---')),
    ...rows.map(line),
  ].join('\n');
};

describe('a name after FROM', () => {
  it('is the data frame of another cell, which makes the query stale when it changes', async () => {
    const notebook = await withMemory('Frames');
    const maker = await notebook.add(makeSales('[1, 2]'));
    const query = await ask(notebook, 'SELECT sum(amount) AS total FROM sales');
    const next = await ask(notebook, 'FROM found', 'again');
    assert.equal(shown(await notebook.run(next)), table(['total'], [3]));
    const { upstream_ids, references } = await notebook.cell(query);
    assert.deepEqual({ upstream_ids, references }, { upstream_ids: [maker], references: ['sales'] });
    assert.equal((await notebook.run(query)).cache_hit, true);
    await notebook.edit(maker, makeSales('[1, 5]'));
    assert.equal((await notebook.cell(query)).status, 'stale');
    assert.equal(shown(await notebook.run(next)), table(['total'], [6]));
  });

  it('leaves the query as it was when the server is started again: nobody has to be asked', async () => {
    const home = newHome();
    const first = await startServer({ home });
    const notebook = await createTestNotebook(first, 'Again');
    await setConnections(notebook, [database]);
    await notebook.add(makeSales('[1, 2]'));
    const sum = await ask(notebook, 'SELECT sum(amount) AS total FROM sales');
    const next = await ask(notebook, 'FROM found', 'again');
    assert.equal(shown(await notebook.run(next)), table(['total'], [3]));
    await first.stop('SIGKILL');
    await using second = await startServer({ home });
    const opened = await openTestNotebook(second, notebook.path);
    await until(async () => (await opened.cell(next)).status === 'ready', 'the last query to be as it was');
    assert.equal((await opened.cell(sum)).status, 'ready');
  });

  it('is a table of the connection where there is one, and not what a cell calls the same', async () => {
    const notebook = await withMemory('Both');
    await setConnections(notebook, [database, { name: 'file', driver: 'duckdb', path: 'shop.duckdb' }]);
    const write = await addSql(
      notebook,
      "# @sql connection=file write=true\n# @name filled\nCREATE TABLE sales AS SELECT 'of the file' AS word",
    );
    assert.equal((await notebook.run(write)).error, null);
    await notebook.add(makeSales('[1, 2]'));
    const both = await addSql(notebook, '# @sql connection=file\n# @after filled\nSELECT word FROM Sales, filled');
    assert.equal(shown(await notebook.run(both)), table(['word'], ['of the file']));
    const exact = await addSql(notebook, '# @sql connection=file\n# @after filled\nSELECT word FROM sales');
    assert.equal(shown(await notebook.run(exact)), table(['word'], ['of the file']));
  });

  it('fills a table of a database from a data frame and from a file', async () => {
    const notebook = await withMemory('Fills');
    await setConnections(notebook, [{ name: 'file', driver: 'duckdb', path: 'shop.duckdb' }]);
    await notebook.add(makeSales('[1, 2]'));
    fs.writeFileSync(place(notebook, 'more.csv'), 'region,amount\nwest,7\n');
    const write = await addSql(
      notebook,
      "# @sql connection=file write=true\n# @name filled\nCREATE TABLE kept AS SELECT * FROM sales;\nINSERT INTO kept SELECT * FROM 'more.csv'",
    );
    assert.equal((await notebook.run(write)).error, null);
    const read = await addSql(notebook, '# @sql connection=file\n# @after filled\nSELECT * FROM kept ORDER BY amount');
    const rows = [
      ['north', 1],
      ['south', 2],
      ['west', 7],
    ];
    assert.equal(shown(await notebook.run(read)), table(['region', 'amount'], ...rows));
  });

  it('says of a value that is no table what to do with it', async () => {
    const notebook = await withMemory('No table');
    await notebook.add('sales = [1, 2]');
    const { error } = await notebook.run(await ask(notebook, 'SELECT * FROM sales'));
    assert.match(
      error ?? '',
      /sales is a value of another cell and no table: make it a data frame, or bind it as :sales/,
    );
    // Nor is it a name of the program that runs the query.
    const other = await notebook.run(await ask(notebook, 'SELECT * FROM binds', 'other'));
    assert.match(other.error ?? '', /Table with name binds does not exist/);
  });
});

describe('a file after FROM', () => {
  it('is read where Python reads it, in each format, also packed', async () => {
    const notebook = await withMemory('Formats');
    fs.mkdirSync(place(notebook, 'more'));
    fs.writeFileSync(place(notebook, 'sales.csv'), 'region,amount\nnorth,3\n');
    fs.writeFileSync(place(notebook, 'sales.tsv'), 'region\tamount\nnorth\t4\n');
    fs.writeFileSync(place(notebook, 'more/sales.json'), '[{"region": "north", "amount": 5}]');
    fs.writeFileSync(place(notebook, 'sales.csv.gz'), gzipSync('region,amount\nnorth,6\n'));
    const copy = "COPY (SELECT 'north' AS region, 7 AS amount) TO 'sales.parquet'";
    const made = await addSql(notebook, `# @sql connection=mem write=true\n# @name made\n${copy}`);
    assert.equal((await notebook.run(made)).error, null);
    for (const [file, amount] of Object.entries({
      'sales.csv': 3,
      'sales.tsv': 4,
      'more/sales.json': 5,
      'sales.csv.gz': 6,
      'sales.parquet': 7,
    })) {
      const ran = await notebook.run(await ask(notebook, `SELECT region, amount FROM '${file}'`, 'one'));
      assert.equal(shown(ran), table(['region', 'amount'], ['north', amount]), file);
    }
    const call = await ask(notebook, "SELECT amount FROM read_csv('sales.csv', header = true)", 'called');
    assert.equal(shown(await notebook.run(call)), table(['amount'], [3]));
  });

  it('is an input: replaced, its query is stale and says so; put back, the result is found again', async () => {
    const notebook = await withMemory('Inputs');
    const file = place(notebook, 'sales.csv');
    const put = (text: string): void => {
      fs.writeFileSync(`${file}.new`, text);
      fs.renameSync(`${file}.new`, file);
    };
    put('amount\n3\n');
    const query = await ask(notebook, "SELECT amount FROM 'sales.csv'");
    assert.equal(shown(await notebook.run(query)), table(['amount'], [3]));
    assert.equal((await notebook.run(query)).cache_hit, true);
    assert.deepEqual((await notebook.cell(query)).effects?.read, ['work/sales.csv']);
    const stale = notebook.framesUntil(({ payload }) => payload.cell_id === query && payload.status === 'stale');
    put('amount\n4\n');
    await stale;
    const { causality } = await notebook.cell(query);
    assert.deepEqual(causality, { reason: 'upstream', details: [{ type: 'file_changed', file: 'work/sales.csv' }] });
    assert.equal(shown(await notebook.run(query)), table(['amount'], [4]));
    put('amount\n3\n');
    const again = await notebook.run(query);
    assert.deepEqual([again.cache_hit, shown(again)], [true, table(['amount'], [3])]);
  });

  it('that is not there is named', async () => {
    const notebook = await withMemory('Missing');
    const { error } = await notebook.run(await ask(notebook, "SELECT * FROM 'sale.csv'"));
    assert.match(error ?? '', /there is no file 'sale\.csv' in the notebook's folder: upload it, or correct its name/);
  });
});

describe('the result of a new SQL cell', () => {
  const add = async (notebook: TestNotebook, body: object): Promise<CellRecord> =>
    cellRecord.parse((await notebook.request('POST', '/cells', { language: 'sql', ...body })).json);

  it('gets a name of its own when the usual one is taken', async () => {
    const notebook = await withMemory('Names');
    const first = await add(notebook, {});
    const second = await add(notebook, { source: '# @sql connection=mem\n\nSELECT 2 AS two' });
    const third = await add(notebook, {});
    const named = await add(notebook, { source: '# @name mine\nSELECT 4' });
    const model = await add(notebook, { language: 'prompt' });
    assert.deepEqual(
      [first, second, third, named, model].map(({ source, defines }) => [source, defines[0]]),
      [
        ['', 'result'],
        ['# @sql connection=mem\n# @name result_2\n\nSELECT 2 AS two', 'result_2'],
        ['# @name result_3\n', 'result_3'],
        ['# @name mine\nSELECT 4', 'mine'],
        ['# @name result_4\n', 'result_4'],
      ],
    );
    // What has no query yet is left out by a run over all, as before.
    const ended = notebook.framesUntil(({ type, payload }) => type === 'cell_output' && payload.cell_id === second.id);
    notebook.socket.send('notebook_run_all', {});
    await ended;
    assert.equal((await notebook.cell(third.id)).status, 'idle');
  });
});
