import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arranged, columnsOf, firstLook, inSight, moved, spans, widthOf } from './columns.ts';
import { uniqueNames } from './uniqueNames.ts';
import { cellText, isNoNumber, short, tabSeparated, typeName } from './values.ts';

const names = ["('sales', 'units')", "('sales', 'price')", "('who', 'first')", 'region', '__index_level_1__'];
const labels = {
  index: [
    { name: 'region', column: 3 },
    { name: null, column: 4 },
  ],
  heads: [['sales', 'units'], ['sales', 'price'], ['who', 'first'], ['region'], ['__index_level_1__']],
  levels: ['group', 'field'],
  missing: ['NaN', 'NaN', 'None', 'None', 'NaN'],
  source: 'pandas.DataFrame',
  types: ['int64', 'double', 'string', 'string', 'int64'],
};
const labelsOf = (columns: readonly { heads: readonly string[] }[]) => columns.map(({ heads }) => heads.join('/'));

test('the index comes first and is called what its owner calls it, before and after its labels are here', () => {
  const columns = columnsOf(names, labels, 2);
  assert.deepEqual(labelsOf(columns), ['region', '', 'sales/units', 'sales/price', 'who/first']);
  assert.deepEqual(labelsOf(columnsOf(names, null, 2)).slice(0, 2), ['region', '']);
  assert.deepEqual(labelsOf(columnsOf(['a', 'b'], null, 0)), ['a', 'b']);
  const counted = columnsOf(['a'], { ...labels, index: [{ name: null, start: 5, step: 2 }], heads: [['a']] }, 0);
  assert.deepEqual(counted[0], {
    name: '',
    at: null,
    counted: { name: null, start: 5, step: 2 },
    heads: [''],
    isIndex: true,
    missing: '',
  });
});

test('columns are hidden, pinned and moved; the index stays first', () => {
  const columns = columnsOf(names, labels, 2);
  const [units = '', price = '', who = ''] = names;
  const look = { ...firstLook, hidden: new Set([price]), pinned: new Set([who]) };
  const { fixed, rest } = arranged(columns, look);
  assert.deepEqual([labelsOf(fixed), labelsOf(rest)], [['region', '', 'who/first'], ['sales/units']]);
  assert.deepEqual(moved(columns, firstLook, units, who), [price, who, units]);
  assert.deepEqual(moved(columns, firstLook, who, units), [who, units, price]);
  const order = moved(columns, firstLook, who, units);
  assert.deepEqual(labelsOf(arranged(columns, { ...firstLook, order }).rest), [
    'who/first',
    'sales/units',
    'sales/price',
  ]);
});

test('a column that came after the others were put in order stands behind them', () => {
  const order = ['b', 'a'];
  assert.deepEqual(labelsOf(arranged(columnsOf(['a', 'new', 'b'], null, 0), { ...firstLook, order }).rest), [
    'b',
    'a',
    'new',
  ]);
});

test('neighbours of one group stand under one heading', () => {
  const columns = columnsOf(names, labels, 2).slice(2);
  assert.deepEqual(
    spans(columns, 0).map(({ label, count }) => [label, count]),
    [
      ['sales', 2],
      ['who', 1],
    ],
  );
});

test('of many columns only those in sight are drawn', () => {
  assert.deepEqual(inSight([100, 100, 100, 100], 150, 250), { first: 1, last: 3, before: 100, after: 100 });
  assert.deepEqual(inSight([100], 0, 500), { first: 0, last: 1, before: 0, after: 0 });
});

test('numbers are shown to their last digit, and what is none is told apart', () => {
  assert.deepEqual(
    [0.1 + 0.2, 2, -0, 1e300].map((value) => cellText(value, 'double')),
    ['0.30000000000000004', '2.0', '-0.0', '1e+300'],
  );
  assert.equal(cellText('1152921504606846977', 'int64'), '1152921504606846977');
  assert.equal(cellText([1, null, true], 'list<item: int64>'), '[1, None, True]');
  assert.equal(cellText({ a: 'x', "it's": ['say "hi"', "it's"] }, ''), `{'a': 'x', "it's": ['say "hi"', "it's"]}`);
  assert.deepEqual([isNoNumber('NaN', 'double'), isNoNumber('NaN', 'string')], [true, false]);
});

test('types are called what people of data frames call them', () => {
  const types = [
    'dictionary<values=large_string, indices=uint8, ordered=1>',
    'double',
    'large_list<item: float>',
    'date32[day]',
  ];
  assert.deepEqual(types.map(typeName), ['category', 'float64', 'list<item: float32>', 'date']);
  assert.deepEqual(['decimal128(38, 1)', 'timestamp[us, tz=UTC]'].map(typeName), [
    'decimal(38, 1)',
    'timestamp[us, tz=UTC]',
  ]);
});

test('of columns of one name each has a name of its own', () => {
  assert.deepEqual(uniqueNames(['a', 'b', 'a', 'a_1', 'a']), ['a', 'b', 'a_2', 'a_1', 'a_3']);
});

test('what is copied pastes into sheets', () => {
  assert.equal(
    tabSeparated([
      ['a', 'say "hi"'],
      ['tab\there', ''],
    ]),
    'a\t"say ""hi"""\n"tab\there"\t',
  );
});

test('a statistic has six digits, and as many as stand before its point', () => {
  assert.deepEqual([0, 1 / 3, -1e-7, 99_999.44, 1_234_567.8, -12_345_678_901, 2 ** 60].map(short), [
    '0',
    '0.333333',
    '-1e-7',
    '99999.4',
    '1234568',
    '-12345678901',
    '1.15292e+18',
  ]);
});

test('a column is as wide as the type that is shown, not as the one it is stored by', () => {
  const [age] = columnsOf(['age'], null, 0);
  assert.ok(age);
  const stored = 'dictionary<values=struct<left:int64,right:int64>, indices=int8, ordered=1>';
  assert.equal(typeName(stored), 'category');
  assert.equal(widthOf(age, stored, [['(0, 30]']]), widthOf(age, 'category', [['(0, 30]']]));
});

test('a column of numbers has room for the longest, also beyond the rows at hand', () => {
  const [id] = columnsOf(['id'], null, 0);
  assert.ok(id);
  const rows = [[0], [1]];
  const wide = widthOf(id, 'int64', rows, { total: 10_000_000, ends: [-12345678, 9999999] });
  assert.equal(wide, widthOf(id, 'int64', [[-12345678]]));
  assert.ok(wide > widthOf(id, 'int64', rows));
  assert.equal(widthOf(id, 'int64', rows, { total: 10_000_000 }), widthOf(id, 'int64', [[10_000_000]]));
  assert.equal(widthOf(id, 'string', [['a']], { total: 2, ends: ['a'.repeat(90)] }), widthOf(id, 'string', [['a']]));
  const [rowNumbers] = [{ ...id, at: null }];
  assert.ok(widthOf(rowNumbers, '', rows, { total: 100_000_000 }) > widthOf(rowNumbers, '', rows, { total: 2 }));
});
