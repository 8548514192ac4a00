// Browsing the tables that cells display, through the real data engine.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';

const withoutR = (() => {
  try {
    execFileSync('Rscript', ['--version'], { stdio: 'ignore' });
    return false;
  } catch {
    return process.env.SVC_TEST_ALL === '1' ? false : 'Rscript is not on the path';
  }
})();

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

  it('keeps nulls apart from empty texts, and says what its rows and columns are called, when asked', async () => {
    const { rows, labels, positions } = await get('&exact=true&offset=1&limit=2&sort_by=n');
    assert.deepEqual(
      [rows, positions],
      [
        [
          [2, null, null, '2026-01-04'],
          [3, 'Cherry', 1.5, '2026-01-03'],
        ],
        [3, 0],
      ],
    );
    assert.deepEqual(labels, {
      index: [],
      heads: [['n'], ['word'], ['price'], ['day']],
      levels: [null],
      missing: ['null', 'null', 'null', 'null'],
      source: 'pyarrow.Table',
      types: ['int64', 'string', 'double', 'date32[day]'],
    });
  });

  it('tells one column of what filters leave: its spread and its most frequent values', async () => {
    const filters = encodeURIComponent(JSON.stringify([{ col: 'day', op: 'le', value: '2026-01-03' }]));
    const column = async (name: string) =>
      (await notebook.request('GET', `${base}/column?artifact_uri=${uri}&filters=${filters}&column=${name}`)).json;
    assert.deepEqual(await column('n'), {
      rows: 3,
      missing: 1,
      distinct: 2,
      min: 1,
      max: 3,
      mean: 2,
      deviation: Math.SQRT2,
      quartiles: [1.5, 2, 2.5],
      values: [
        { value: 3, count: 1 },
        { value: 1, count: 1 },
        { value: null, count: 1 },
      ],
    });
    assert.deepEqual(await column('nope'), {
      detail: "This output has no column 'nope': choose one of those that its first page names",
    });
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

describe('a stored value that is not like the others', () => {
  let server: TestServer;
  let notebook: TestNotebook;
  before(async () => {
    server = await startServer();
    await server.printed(/svc serves/);
    notebook = await createTestNotebook(server, 'Odd');
  });
  after(() => server[Symbol.asyncDispose]());

  /** Asks about what a cell displays. */
  async function shows(source: string, language = 'python') {
    const { id } = Object((await notebook.request('POST', '/cells', { language })).json);
    await notebook.edit(id, source);
    const { display, error } = await notebook.run(id);
    assert.equal(error, null);
    const uri = encodeURIComponent(String(display?.artifact_uri));
    return async (query = '', part = '') => {
      const answer = await notebook.request('GET', `/cells/${id}/data${part}?artifact_uri=${uri}${query}`);
      const isJson = answer.headers['content-type']?.startsWith('application/json') === true;
      return { status: answer.status, text: answer.text, ...(isJson ? Object(answer.json) : {}) };
    };
  }

  it('a table of nanoseconds is one without pandas too, to the last of them', async () => {
    const ask = await shows(`import pyarrow as pa
moments = pa.array([1_767_225_600_000_000_001, None, 1_767_225_600_500_000_000], pa.timestamp("ns"))
pa.table({"at": moments, "for": moments.cast("int64").cast(pa.duration("ns"))})`);
    const { rows, pageable } = await ask('&sort_by=at&sort_dir=desc');
    assert.deepEqual(
      [pageable, rows],
      [
        true,
        [
          ['2026-01-01 00:00:00.500000', '20454 days, 0:00:00.500000'],
          ['2026-01-01 00:00:00.000000001', '20454 days, 0:00:00.000000001'],
          ['', ''],
        ],
      ],
    );
    const { columns } = await ask('', '/summary');
    assert.deepEqual(columns, [
      {
        name: 'at',
        dtype: 'timestamp[ns]',
        nulls: 1,
        distinct: 2,
        min: '2026-01-01 00:00:00.000000001',
        max: '2026-01-01 00:00:00.500000',
      },
      {
        name: 'for',
        dtype: 'duration[ns]',
        nulls: 1,
        distinct: 2,
        min: '20454 days, 0:00:00.000000001',
        max: '20454 days, 0:00:00.500000',
      },
    ]);
  });

  it('an order that a column does not have is refused with its name, and a search in nothing finds nothing', async () => {
    const ask = await shows('import pyarrow as pa\npa.table({"tags": [["b"], ["a"]], "n": [1, 2]})');
    const { status, detail } = await ask('&sort_by=tags');
    assert.deepEqual(
      [status, detail],
      [400, "The column 'tags' holds list<item: string>, which has no order: sort by another column"],
    );
    const empty = await shows('import pyarrow as pa\npa.table({"word": pa.array([], pa.string())})');
    const { rows, total } = await empty('&search=x&sort_by=word');
    assert.deepEqual([rows, total], [[], 0]);
  });

  it('what CSV has no form for is exported as text, and what Parquet lacks is refused with its name', async () => {
    const ask = await shows(`import pyarrow as pa, uuid
storage = pa.array([uuid.UUID(int=7).bytes, None], pa.binary(16))
pa.table({
    "list": [[1, None], None],
    "struct": [{"a": "x"}, None],
    "map": pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int64())),
    "interval": pa.array([(1, 2, 3), None], pa.month_day_nano_interval()),
    "id": pa.ExtensionArray.from_storage(pa.uuid(), storage),
    "bytes": [b"\\xff", None],
    "kind": pa.array(["a", None]).dictionary_encode(),
})`);
    const csv = await ask('', '/export');
    assert.deepEqual(csv.text.split('\n'), [
      '"list","struct","map","interval","id","bytes","kind"',
      `"[1, """"]","{""a"": ""x""}","[[""k"", 1]]","1 month 2 days 00:00:00.000000003","00000000-0000-0000-0000-000000000007","b'\\xff'","a"`,
      ',,,,,,',
      '',
    ]);
    const parquet = await ask('&fmt=parquet', '/export');
    assert.deepEqual(
      [parquet.status, parquet.detail],
      [400, "Parquet has no type for the column 'interval' (month_day_nano_interval): export the table as CSV"],
    );
  });

  it('a page that is too large is refused with what to do', async () => {
    const ask = await shows('import pyarrow as pa\npa.table({"long": ["x" * (16 << 20)] * 5})');
    const { status, detail } = await ask();
    assert.deepEqual(
      [status, detail],
      [413, 'These rows take more than 64 MiB: ask for fewer at once (limit), or export the table.'],
    );
    assert.equal((await ask('&limit=1')).status, 200);
  });

  it('a table is compared with another one, by its index where it has one', async () => {
    const frame = (index: string, values: string) =>
      `import pyarrow as pa, json
notes = {"index_columns": ["k"], "columns": [{"name": "k", "field_name": "k", "numpy_type": "object"}], "column_indexes": []}
pa.table({"k": ${index}, "v": ${values}}).replace_schema_metadata({b"pandas": json.dumps(notes).encode()})`;
    const before = await notebook.run(await notebook.add(frame('["a", "b", "c"]', '[1.0, float("nan"), 3.0]')));
    const cell = await notebook.add(frame('["d", "c", "b"]', '[9.0, 4.0, float("nan")]'));
    const after = await notebook.run(cell);
    const uris = [after, before].map(({ display }) => encodeURIComponent(String(display?.artifact_uri)));
    const ask = async (query: string) =>
      (
        await notebook.request(
          'GET',
          `/cells/${cell}/data/compare?artifact_uri=${uris[0]}&before_uri=${uris[1]}${query}`,
        )
      ).json;
    const changes = [
      { before: null, after: ['d', 9], changed: [] },
      { before: ['c', 3], after: ['c', 4], changed: [1] },
    ];
    const gone = { before: ['a', 1], after: null, changed: [] };
    const facts = {
      key: ['k'],
      repeats: false,
      columns: ['k', 'v'],
      left_out: 0,
      types: ['string', 'double'],
      came: [],
      went: [],
      retyped: [],
      counts: { changed: 1, added: 1, removed: 1, same: 1 },
    };
    assert.deepEqual(await ask(''), { ...facts, total: 3, rows: [...changes, gone] });
    assert.deepEqual(await ask('&only_different=false&offset=2&limit=1'), {
      ...facts,
      total: 4,
      rows: [{ before: ['b', 'NaN'], after: ['b', 'NaN'], changed: [] }],
    });
  });

  it('tables of other columns, types and indexes are compared, and what cannot be matched is said', async () => {
    const frame = (columns: string, index: string) =>
      `import pyarrow as pa, json
notes = {"index_columns": ${index}, "columns": [{"name": n, "field_name": n, "numpy_type": "object"} for n in ${index}], "column_indexes": []}
pa.table(${columns}).replace_schema_metadata({b"pandas": json.dumps(notes).encode()})`;
    const compare = async (before: string, after: string, index = '[]') => {
      const old = await notebook.run(await notebook.add(frame(before, index)));
      const cell = await notebook.add(frame(after, index));
      const now = await notebook.run(cell);
      const [uri, before_uri] = [now, old].map(({ display }) => encodeURIComponent(String(display?.artifact_uri)));
      const { json } = await notebook.request(
        'GET',
        `/cells/${cell}/data/compare?artifact_uri=${uri}&before_uri=${before_uri}`,
      );
      return Object(json);
    };
    const other = await compare('{"a": [1, 2], "b": ["x", "y"]}', '{"a": ["1", "2"], "c": [0, 0]}');
    assert.deepEqual(
      [other.came, other.went, other.retyped, other.counts.changed],
      [['c'], ['b'], [{ name: 'a', before: 'int64', after: 'string' }], 0],
    );
    const levels = [
      '{"k": [1, 1], "l": ["x", "y"], "v": [1, 2]}',
      '{"k": [1, 1], "l": ["y", "x"], "v": [3, 1]}',
    ] as const;
    const byLevels = await compare(...levels, '["k", "l"]');
    assert.deepEqual(
      [byLevels.key, byLevels.rows],
      [['k', 'l'], [{ before: [1, 'y', 2], after: [1, 'y', 3], changed: [2] }]],
    );
    const twice = await compare('{"k": [1, 1], "v": [1, 2]}', '{"k": [1, 1], "v": [1, 3]}', '["k"]');
    assert.deepEqual([twice.key, twice.repeats, twice.counts.changed], [[], true, 1]);
    const wide = (last: number) => `{f"c{n}": [n, ${last} if n == 299 else n] for n in range(300)}`;
    const { columns, left_out, rows } = await compare(wide(1), wide(2));
    assert.deepEqual([columns.length, columns.at(-1), left_out, rows[0].changed], [40, 'c299', 260, [39]]);
    const named = (last: number) => `[[1], [${last}]], names=["n", "n"]`;
    assert.equal((await compare(named(2), named(3))).counts.changed, 1, 'the second of two columns of one name');
    const none = await compare('{"a": pa.array([], "int64")}', '{"a": [1, 2]}');
    assert.deepEqual([none.counts, none.retyped], [{ changed: 0, added: 2, removed: 0, same: 0 }, []]);
  });

  it('an object is no table, whatever its bytes look like', async () => {
    const ask = await shows('{"a" * 120, "b"}');
    const { status, pageable } = await ask();
    assert.deepEqual([status, pageable, (await ask('', '/summary')).pageable], [200, false, false]);
    assert.deepEqual((await ask('', '/export')).detail, 'Output is not an exportable table');
  });

  it('the first of two columns of one name is the one that is asked for', async () => {
    const ask = await shows('import pyarrow as pa\npa.table([[2, 1], [3, 4]], names=["n", "n"])');
    assert.deepEqual((await ask('&sort_by=n')).rows, [
      [1, 4],
      [2, 3],
    ]);
    const filters = encodeURIComponent(JSON.stringify([{ col: 'n', op: 'gt', value: 1 }]));
    assert.deepEqual((await ask(`&filters=${filters}`)).rows, [[2, 3]]);
  });

  it('a data frame of R is browsed with each of its types', { skip: withoutR }, async () => {
    const ask = await shows(
      `data.frame(
  flag = c(TRUE, NA), whole = c(2L, NA), number = c(0.5, NA), word = c("b", NA), kind = factor(c("x", NA)),
  day = as.Date(c("2024-02-29", NA)), at = as.POSIXct(c("2024-01-01 12:30:00", NA), tz = "UTC")
)`,
      'r',
    );
    const first = [true, 2, 0.5, 'b', 'x', '2024-02-29', '2024-01-01 12:30:00+00:00'];
    const none = ['', '', '', '', '', '', ''];
    const { columns } = await ask();
    for (const column of columns) {
      assert.deepEqual((await ask(`&sort_by=${column}&sort_dir=desc`)).rows, [first, none], column);
      const filters = encodeURIComponent(
        JSON.stringify([{ col: column, op: 'eq', value: first[columns.indexOf(column)] }]),
      );
      assert.deepEqual((await ask(`&filters=${filters}`)).rows, [first], column);
    }
    const summary = await ask('', '/summary');
    assert.deepEqual(
      summary.columns.map(({ nulls, distinct }: Record<string, unknown>) => [nulls, distinct]),
      columns.map(() => [1, 1]),
    );
    assert.deepEqual([(await ask('', '/export')).status, (await ask('&fmt=parquet', '/export')).status], [200, 200]);
  });
});

describe('tables with odd columns', () => {
  it('can be asked for each of two columns of one name, and for lists and records as they are shown', async () => {
    await using server = await startServer();
    const notebook = await createTestNotebook(server, 'Odd');
    const page = async (source: string, query = ''): Promise<Record<string, unknown>> => {
      const id = await notebook.add(`import pyarrow as pa\n${source}`);
      const { display, error } = await notebook.run(id);
      const uri = encodeURIComponent(String(display?.artifact_uri));
      const { json } = await notebook.request('GET', `/cells/${id}/data?exact=true&artifact_uri=${uri}${query}`);
      const { columns, rows, total, positions, labels } = Object(json);
      return { error, columns, rows, total, positions, heads: labels?.heads };
    };
    const two = 'two = pa.Table.from_arrays([pa.array([1, 2, 3]), pa.array([3, 1, 2])], names=["a", "a"])\ntwo';
    const filters = encodeURIComponent(JSON.stringify([{ col: 'a', op: 'ne', value: '1' }]));
    assert.deepEqual(await page(two, `&sort_by=a_1&filters=${filters}`), {
      error: null,
      columns: ['a', 'a_1'],
      rows: [
        [2, 1],
        [3, 2],
      ],
      total: 2,
      positions: [1, 2],
      heads: [['a'], ['a']],
    });
    const lists = 'pa.table({"l": [[1, None], [2], None], "s": [{"a": "x"}, None, {"a": "y"}]})';
    const asked = (col: string, value: string) =>
      page(lists, `&filters=${encodeURIComponent(JSON.stringify([{ col, op: 'eq', value }]))}`);
    assert.deepEqual((await asked('l', '[1, None]')).positions, [0]);
    assert.deepEqual((await asked('s', "{'a': 'y'}")).positions, [2]);
  });
});
