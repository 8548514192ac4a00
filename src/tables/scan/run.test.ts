import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createLog, createLogRing } from '../../observability/index.ts';
import { parseTableAddress } from '../../tableAddress.ts';
import type { HeldRowGroup } from '../cache/rowGroupCache.ts';
import type { PlannedFile, RowGroup } from '../engine.ts';
import type { ScanPlan } from './plan.ts';
import { wholeTable } from './request.ts';
import { createRun } from './run.ts';

const group: RowGroup = { index: 0, start: 0, rows: 1, bytes: 8, all: true };
const file: PlannedFile = {
  path: '/wh/1.parquet',
  size: 100,
  constants: {},
  positional: [],
  equality: [],
  rowGroups: [group],
};

const plan: ScanPlan = {
  address: parseTableAddress('db.rows', new Set()),
  identity: 'default.db.rows',
  request: wholeTable,
  table: {
    metadataLocation: '/wh/metadata.json',
    io: {},
    snapshotId: null,
    columns: [],
    filters: '',
    identity: 'default.db.rows',
  },
  tableUuid: '5f0e',
  snapshotId: '1',
  schemaId: 0,
  reading: '',
  schemaMessage: Buffer.alloc(0),
  schemaText: '',
  prunedRowGroups: 0,
  tasks: [{ file, group }],
  estimatedBytes: 8,
  rowCount: 1,
  provenance: 'a1',
};

const noPlace = async () => () => {};

/** A stream of one row group, which comes with `read`; `told`: what the run says of itself, in order. */
async function watchedRun() {
  const told: string[] = [];
  const { promise, resolve } = Promise.withResolvers<HeldRowGroup>();
  const run = createRun({
    plan,
    version: undefined,
    name: null,
    artifacts: undefined,
    hasPeers: false,
    readers: () => assert.fail('nothing is put together without a store'),
    read: () => promise,
    limits: { parallelism: 1, scanTimeoutSeconds: 10, maxBytes: 1000 },
    log: createLog({ level: 'error', format: 'json', destination: { write: () => {} }, ring: createLogRing() }),
    onEnd: () => told.push('ended'),
    onSent: () => told.push('sent, not stored yet'),
    onAbort: () => told.push('aborted'),
  });
  const watched = await run.watch(noPlace);
  return { run, watched, told, read: () => resolve({ file: '', rows: 1, bytes: 8, hit: true, release: () => {} }) };
}

it('a stream whose last row is sent while its result is on its way is one to wait for', async () => {
  const { watched, told, read } = await watchedRun();
  const sent = watched.sent();
  read();
  await sent;
  assert.deepEqual(told, ['sent, not stored yet', 'ended']);
});

it('one that is read to its end after its result was stored is remembered by nobody', async () => {
  const { run, watched, told, read } = await watchedRun();
  read();
  await run.ended;
  await watched.sent();
  assert.deepEqual(told, ['ended']);
});
