import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { wantedAt, written } from './cursor.ts';

/** The query with the cursor at the bar. */
function at(text: string) {
  const offset = text.indexOf('|');
  return wantedAt(text.replace('|', ''), offset, 'duckdb');
}

const sales = { name: 'sales', alias: 'sales', isFile: false };

describe('what is being named at the cursor of a query', () => {
  const cases: [string, ReturnType<typeof at>][] = [
    [
      'SELECT * FROM sa|',
      { kind: 'table', from: 14, prefix: 'sa', of: '', tables: [{ ...sales, name: 'sa', alias: 'sa' }] },
    ],
    ['SELECT * FROM |', { kind: 'table', from: 14, prefix: '', of: '', tables: [] }],
    ['SELECT am| FROM sales', { kind: 'column', from: 7, prefix: 'am', of: '', tables: [sales] }],
    [
      "SELECT s.a| FROM sales AS s JOIN 'more.csv' m USING (id)",
      {
        kind: 'member',
        from: 9,
        prefix: 'a',
        of: 's',
        tables: [
          { ...sales, alias: 's' },
          { name: 'more.csv', alias: 'm', isFile: true },
        ],
      },
    ],
    [
      "SELECT * FROM 'sa|'",
      { kind: 'file', from: 15, prefix: 'sa', of: '', tables: [{ name: 'sa', alias: 'sa', isFile: true }] },
    ],
    ['SELECT * FROM sales, |', { kind: 'table', from: 21, prefix: '', of: '', tables: [sales] }],
    [
      'SELECT 1; SELECT x| FROM sales; SELECT 2 FROM t',
      { kind: 'column', from: 17, prefix: 'x', of: '', tables: [sales] },
    ],
    ['SELECT * FROM sales WHERE amount > :fl|', { kind: 'value', from: 36, prefix: 'fl', of: '', tables: [sales] }],
    ["SELECT 'te|xt'", undefined],
    ['SELECT 1 -- no|', undefined],
  ];
  for (const [text, wanted] of cases) it(text, () => assert.deepEqual(at(text), wanted));
});

describe('a name in a query', () => {
  it('is quoted where the database would read something else', () => {
    assert.deepEqual(
      [
        written('amount', 'duckdb'),
        written('a b', 'duckdb'),
        written('order', 'duckdb'),
        written('Amount', 'postgres'),
      ],
      ['amount', '"a b"', '"order"', '"Amount"'],
    );
  });
});
