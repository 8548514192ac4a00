// Browsing the tables that cells display, through the real data engine.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';

const table = `import pyarrow as pa, datetime
pa.table({
    "n": [3, 1, None, 2],
    "word": ["Cherry", "apple", "banana", None],
    "price": [1.5, 2.5, 3.5, None],
    "day": [datetime.date(2026, 1, day) for day in (3, 1, 2, 4)],
})`;

describe('a displayed table', () => {
  let server: TestServer;
  let notebook: TestNotebook;
  let base = '';
  let uri = '';
  before(async () => {
    server = await startServer();
    await server.printed(/svc serves/);
    notebook = await createTestNotebook(server, 'Tables');
    const cell = await notebook.add(table);
    const run = await notebook.run(cell);
    uri = encodeURIComponent(String(run.display?.artifact_uri));
    base = `/cells/${cell}/data`;
  });
  after(() => server[Symbol.asyncDispose]());

  const get = async (query: string) => {
    const { status, json } = await notebook.request('GET', `${base}?artifact_uri=${uri}${query}`);
    return status === 200 ? Object(json) : [status, Object(json).detail];
  };
  const rows = async (query: string) => (await get(query)).rows.map((row: unknown[]) => row[1]);
  const filtered = (filters: unknown) => rows(`&filters=${encodeURIComponent(JSON.stringify(filters))}`);

  it('comes in pages, with nulls as empty text', async () => {
    const { artifact_uri: _uri, cell_id: _cell, ...page } = await get('&offset=1&limit=2');
    assert.deepEqual(page, {
      pageable: true,
      columns: ['n', 'word', 'price', 'day'],
      rows: [
        [1, 'apple', 2.5, '2026-01-01'],
        ['', 'banana', 3.5, '2026-01-02'],
      ],
      total: 4,
      offset: 1,
      limit: 2,
      sort_by: null,
      sort_dir: 'asc',
    });
    assert.deepEqual(
      [(await get('&limit=9999')).limit, (await get('&limit=0')).limit, (await get('&offset=-5')).offset],
      [500, 1, 0],
    );
  });

  it('is sorted with nulls last either way, and by an unknown column not at all', async () => {
    assert.deepEqual(await rows('&sort_by=n'), ['apple', '', 'Cherry', 'banana']);
    assert.deepEqual(await rows('&sort_by=n&sort_dir=desc'), ['Cherry', '', 'apple', 'banana']);
    assert.deepEqual(await rows('&sort_by=nope'), ['Cherry', 'apple', 'banana', '']);
  });

  it('is searched in every column without regard to case', async () => {
    assert.deepEqual(
      [await rows('&search=AN'), await rows('&search=2026-01-04'), await rows('&search=2.5')],
      [['banana'], [''], ['apple']],
    );
  });

  const filters: [filter: object, words: string[]][] = [
    [{ col: 'n', op: 'eq', value: '2' }, ['']],
    [{ col: 'n', op: 'ne', value: 3 }, ['apple', '']],
    [{ col: 'n', op: 'gt', value: '1.9' }, ['Cherry', '']],
    [{ col: 'price', op: 'between', value: 2, value2: '3.5' }, ['apple', 'banana']],
    [{ col: 'word', op: 'contains', value: 'P' }, ['apple']],
    [{ col: 'word', op: 'is_null' }, ['']],
    [{ col: 'n', op: 'not_null' }, ['Cherry', 'apple', '']],
    [{ col: 'day', op: 'le', value: '2026-01-02' }, ['apple', 'banana']],
    [{ col: 'n', op: 'eq', value: 'many' }, ['Cherry', 'apple', 'banana', '']],
    [{ col: 'nope', op: 'eq', value: 1 }, ['Cherry', 'apple', 'banana', '']],
    [{ col: 'n', op: 'frobnicate', value: 1 }, ['Cherry', 'apple', 'banana', '']],
  ];
  for (const [filter, words] of filters) {
    it(`filter ${JSON.stringify(filter)}`, async () => assert.deepEqual(await filtered([filter]), words));
  }

  it('has a summary of its columns', async () => {
    const { json } = await notebook.request('GET', `${base}/summary?artifact_uri=${uri}`);
    assert.deepEqual(Object(json).columns, [
      { name: 'n', dtype: 'int64', nulls: 1, distinct: 3, min: 1, max: 3 },
      { name: 'word', dtype: 'string', nulls: 1, distinct: 3, min: null, max: null },
      { name: 'price', dtype: 'double', nulls: 1, distinct: 3, min: 1.5, max: 3.5 },
      { name: 'day', dtype: 'date32[day]', nulls: 0, distinct: 4, min: '2026-01-01', max: '2026-01-04' },
    ]);
  });

  it('tells how the values of its columns spread, when asked', async () => {
    const { json } = await notebook.request('GET', `${base}/summary?artifact_uri=${uri}&bins=3`);
    const spread = Object(json).columns.map(({ name, histogram }: Record<string, unknown>) => [name, histogram]);
    assert.deepEqual(spread, [
      ['n', [1, 1, 1]],
      ['word', null],
      ['price', [1, 1, 1]],
      ['day', [1, 1, 2]],
    ]);
  });

  it('shows its rows while a summary of it is on its way, and one that nobody waits for is given up', async () => {
    const many = await notebook.add(`import pyarrow as pa, pyarrow.compute as pc
r = pc.random(4_000_000)
pa.table({"r": r, "s": pc.cast(r, "string")})`);
    const address = encodeURIComponent(String((await notebook.run(many)).display?.artifact_uri));
    const place = `/cells/${many}/data`;
    const page = () => notebook.request('GET', `${place}?artifact_uri=${address}&limit=1`);
    // Both processes are there, so that neither waits for a start.
    await notebook.request('GET', `${base}/summary?artifact_uri=${uri}`);
    await page();
    const left = new AbortController();
    const url = `${server.address}/v1/notebooks/${notebook.sessionId}${place}/summary?artifact_uri=${address}&bins=20`;
    const summary = fetch(url, { signal: left.signal }).then(
      ({ status }) => status,
      () => 'left',
    );
    assert.equal(await Promise.race([summary, page().then(() => 'rows')]), 'rows');
    left.abort();
    assert.equal(await summary, 'left');
    // The next one need not wait for it.
    assert.equal((await notebook.request('GET', `${base}/summary?artifact_uri=${uri}`)).status, 200);
    assert.doesNotMatch(server.output(), /Request failed/);
  });

  it('is downloaded as the same view', async () => {
    const csv = await notebook.request('GET', `${base}/export?artifact_uri=${uri}&sort_by=n&search=a`);
    assert.deepEqual(
      [csv.headers['content-type'], csv.text],
      ['text/csv; charset=utf-8', '"n","word","price","day"\n1,"apple",2.5,2026-01-01\n,"banana",3.5,2026-01-02\n'],
    );
    const parquet = await notebook.request('GET', `${base}/export?artifact_uri=${uri}&fmt=parquet`);
    assert.deepEqual(
      [parquet.headers['content-type'], parquet.text.slice(0, 4)],
      ['application/vnd.apache.parquet', 'PAR1'],
    );
  });

  it('refuses what it cannot read', async () => {
    const bad = async (query: string) => {
      const { status, json } = await notebook.request('GET', `${base}${query}`);
      return [status, Object(json).detail];
    };
    assert.deepEqual(await bad('?artifact_uri=nonsense'), [400, 'Malformed artifact_uri']);
    assert.deepEqual(await bad('?artifact_uri=svc://artifact/x@v=one'), [400, 'Malformed artifact_uri version']);
    assert.deepEqual(await bad('?artifact_uri=svc://artifact/..%2f..%2fetc%2fpasswd@v=1'), [404, 'Artifact not found']);
    assert.deepEqual(await bad(`?artifact_uri=${uri}&sort_dir=up`), [400, "sort_dir must be 'asc' or 'desc'"]);
    assert.deepEqual(await bad(`?artifact_uri=${uri}&filters={`), [400, 'filters must be valid JSON']);
    assert.deepEqual(await bad(`?artifact_uri=${uri}&filters={}`), [400, 'filters must be a JSON array']);
    assert.deepEqual(await bad(`/export?artifact_uri=${uri}&fmt=xls`), [400, "fmt must be 'csv' or 'parquet'"]);
    const number = await notebook.run(await notebook.add('42'));
    const other = encodeURIComponent(String(number.display?.artifact_uri));
    assert.equal(Object((await notebook.request('GET', `${base}?artifact_uri=${other}`)).json).pageable, false);
    assert.deepEqual(await bad(`/export?artifact_uri=${other}`), [400, 'Output is not an exportable table']);
  });
});
