import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chartOf, chartText, likely, queryText, tableName } from './newCells.ts';

const price = { name: 'price', type: 'double' };
const units = { name: 'units', type: 'int64' };
const day = { name: 'day', type: 'timestamp[us]' };
const city = { name: 'city', type: 'large_string' };

test('a query shows the rows that were seen', () => {
  const query = {
    sortBy: 'price',
    sortDir: 'desc' as const,
    search: "o'clock",
    filters: [
      { col: 'the "city"', op: 'eq', value: 'Rome' },
      { col: 'units', op: 'not_null' },
    ],
  };
  assert.equal(
    queryText('sales', query, [city]),
    [
      'SELECT *',
      'FROM :sales',
      `WHERE "the ""city""" = 'Rome'`,
      '  AND "units" IS NOT NULL',
      `  AND (contains(lower("city"::VARCHAR), lower('o''clock')))`,
      'ORDER BY "price" DESC NULLS LAST',
    ].join('\n'),
  );
});

test('a chart is chosen by what the columns hold', () => {
  const marks = [[price], [price, units], [day, price], [city, price], [city]].map((fields) => {
    const chart = chartOf(fields);
    return [chart?.mark, Object.keys(chart?.encoding ?? {}).join(' ')];
  });
  assert.deepEqual(marks, [
    ['bar', 'x y'],
    ['point', 'x y'],
    ['line', 'x y'],
    ['bar', 'x y'],
    ['bar', 'x y'],
  ]);
  assert.equal(chartOf([]), null);
  assert.deepEqual(likely([city, day, price, units]), [day, price]);
});

test('a chart is a cell that can be edited', () => {
  assert.equal(
    chartText('sales', 'pandas.DataFrame', [price, { name: 'a.b', type: 'int64' }]),
    [
      '# @name sales_chart',
      'import json',
      '',
      '_rows = sales.reset_index()[["price","a.b"]]',
      '_count = len(_rows)',
      '_rows = _rows.iloc[:: max(1, len(_rows) // 5000)]',
      '_rows = json.loads(_rows.to_json(orient="records", date_format="iso"))',
      '_chart = {',
      '    "mark": "point",',
      '    "encoding": {',
      '        "x": {"field": "price", "type": "quantitative"},',
      '        "y": {"field": "a\\\\.b", "type": "quantitative"},',
      '    },',
      '    "width": 480,',
      '    "height": 260,',
      '}',
      'if len(_rows) < _count:',
      '    _chart["title"] = f"A sample of {len(_rows):,} of {_count:,} rows"',
      'display({"application/vnd.vegalite.v5+json": {**_chart, "data": {"values": _rows}}}, raw=True)',
      '',
    ].join('\n'),
  );
});

test('a chart of many rows draws some from everywhere', () => {
  const rowsOf = (source: string) =>
    chartText('x', source, [price])
      ?.split('\n')
      .filter((line) => line.startsWith('_rows'));
  assert.deepEqual(rowsOf('polars.Series'), [
    '_rows = x.to_frame().select(["price"])',
    '_rows = json.loads(_rows.gather_every(max(1, len(_rows) // 5000)).write_json())',
  ]);
  assert.deepEqual(rowsOf('pyarrow.Table'), [
    '_rows = x.select(["price"])',
    '_rows = _rows.take(list(range(0, len(_rows), max(1, len(_rows) // 5000))))',
    '_rows = json.loads(json.dumps(_rows.to_pylist(), default=str))',
  ]);
});

test('a chart of a sample says so, and what it counts', () => {
  const titleOf = (chosen: Parameters<typeof chartText>[2]) =>
    /title"\] = f"(.*)"/.exec(chartText('x', 'polars.DataFrame', chosen) ?? '')?.[1];
  const sample = 'A sample of {len(_rows):,} of {_count:,} rows';
  assert.deepEqual([[price, units], [price], [city], [city, price]].map(titleOf), [
    sample,
    `${sample}; it counts the sample`,
    `${sample}; it counts the sample`,
    `${sample}; means are of the sample`,
  ]);
});

test('a table is called what its cell calls it', () => {
  const named = (source: string) => tableName({ language: 'python', source, artifactUris: {} });
  assert.deepEqual(['df = load()\ndf\n', 'df.head()', 'display(df)', 'df  \n# done'].map(named), [
    'df',
    null,
    'df',
    'df',
  ]);
  assert.equal(tableName({ language: 'sql', source: 'SELECT 1', artifactUris: { result: 'svc://x' } }), 'result');
});
