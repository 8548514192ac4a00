// Keys that were recorded from a peer: results of one computation are found under one key everywhere.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseExact } from '../../artifacts/index.ts';
import { projectionKey, tenantKey } from '../cache/cacheKey.ts';
import { emptyProvenance, filterFingerprint, scanProvenance } from './provenance.ts';
import { readScanParams } from './request.ts';

const facts = {
  identity: 'svc.db.plain',
  snapshotId: '1148414995329574777',
  schemaId: 0,
  reading: '0e0949a4d7142cba',
  columns: [],
  filters: [],
};

it('the key of a scan is that of its peers', () => {
  const filters = readScanParams(Object(parseExact('{"filters":[{"column":"id","op":">","value":12}]}'))).filters;
  assert.deepEqual(
    [
      scanProvenance(facts),
      scanProvenance({ ...facts, columns: ['v', 'id'] }),
      filterFingerprint(filters),
      scanProvenance({ ...facts, columns: ['id'], filters }),
    ],
    [
      'aa81b05030eb2b5a576c21f84617b6d4da0284b7964e08196fcf9210b10a1a7a',
      'c92f4db2c765d3694f5cac26c07e5a135cd692628e84db93d4b922c85260b066',
      'a86f41c7b601fd77',
      '24976346310b0c4ba9543d6905758dad2c8614283ad43f782b4c0ebb2bc22d60',
    ],
  );
});

it('a table without snapshots has a new key each time', () => {
  assert.notEqual(emptyProvenance(), emptyProvenance());
});

it('the order of filters does not matter, their numbers do', () => {
  const of = (text: string) => filterFingerprint(readScanParams(Object(parseExact(`{"filters":${text}}`))).filters);
  const [a, b] = ['{"column":"a","op":"=","value":1}', '{"column":"b","op":"<","value":"x"}'];
  assert.equal(of(`[${a},${b}]`), of(`[${b},${a}]`));
  assert.notEqual(of(`[${a}]`), of('[{"column":"a","op":"=","value":1.0}]'));
});

it('tenants and projections have the names that peers give them', () => {
  assert.deepEqual(
    [tenantKey('_default'), projectionKey(['v', 'id']), projectionKey([])],
    ['3bf30573', 'cfcf17fe64f42d4e', '*'],
  );
});
