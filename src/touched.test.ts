import assert from 'node:assert/strict';
import { test } from 'node:test';
import { touchedInDetail, touchedInWords } from './touched.ts';

const nothing = {
  read: [],
  written: [],
  listed: [],
  hosts: [],
  programs: [],
  variables: [],
  clock: false,
  entropy: false,
  unwatched: 0,
};

test('what a run touched is said in a line, and with names', () => {
  assert.deepEqual([touchedInWords(nothing), touchedInDetail(nothing)], ['', '']);
  const some = { ...nothing, read: ['work/prices.csv', '/data/rates.csv'], hosts: ['example.org'], clock: true };
  assert.equal(touchedInWords(some), 'read 2 files, asked 1 host, read the clock');
  assert.equal(
    touchedInDetail(some),
    'Read: prices.csv, /data/rates.csv\nAsked: example.org\nRun always runs it again, since a repeat may give something else.',
  );
  const setup = { ...nothing, settings_made: ['pandas', 'matplotlib', 'numpy.random'] };
  assert.equal(touchedInWords(setup), 'sets settings of pandas and settings of matplotlib for the cells below');
  const there = { ...nothing, read: ['/data/rates.csv'], worker: 'lab' };
  assert.equal(touchedInWords(there), 'read 1 file');
  assert.equal(
    touchedInDetail(there),
    'Read on lab: /data/rates.csv\nRun always runs it again, since a repeat may give something else.',
    'files of another machine cannot be watched',
  );
});
