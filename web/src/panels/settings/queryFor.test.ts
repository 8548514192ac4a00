import assert from 'node:assert/strict';
import { it } from 'node:test';
import { queryFor } from './queryFor.ts';

const table = (schema: string | null, name: string) => ({ catalog: null, schema, name, columns: [] });

it('names a table as its database takes it', () => {
  const from = (driver: string, schema: string | null, name: string) =>
    /FROM (.*)/.exec(queryFor('shop', driver, table(schema, name)))?.[1];
  assert.deepEqual(
    [
      from('sqlite', null, 'orders'),
      from('duckdb', 'main', 'Order lines'),
      from('postgresql', 'sales', 'order'),
      from('snowflake', 'PUBLIC', 'ORDERS'),
      from('bigquery', 'set', 'da`ta'),
    ],
    ['orders', '"Order lines"', 'sales."order"', 'PUBLIC.ORDERS', '`set`.`da``ta`'],
  );
  assert.equal(
    queryFor('shop', 'sqlite', table(null, 'orders')),
    '# @sql connection=shop\nSELECT *\nFROM orders\nLIMIT 100',
  );
});
