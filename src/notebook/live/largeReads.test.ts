import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FarInput, Weight } from '../languages/index.ts';
import { createLargeReads, type ReadLimits } from './largeReads.ts';

const mount = (bytes: number | null, more: Partial<FarInput> = {}): FarInput => ({
  kind: 'mount',
  name: 'raw',
  uri: 's3://bucket/raw',
  credential: 'cloud',
  bytes,
  cached_bytes: 0,
  ...more,
});

const weightOf = (far: readonly FarInput[], fingerprint = 'as it is'): Weight => ({ far, fingerprint, digest: 'd' });
const off: ReadLimits = { bytes: null, dollars: null, rates: {}, message: null };
const never = new AbortController().signal;

function reading(limits: Partial<ReadLimits>, weights: Record<string, Weight>, kept: readonly string[] = []) {
  const reads = createLargeReads({
    limits: { ...off, ...limits },
    async weigh(cellId) {
      if (cellId === 'broken') throw new Error('The store is gone');
      return weights[cellId];
    },
    machineOf: (cellId) => (cellId === 'far' ? 'gpu' : 'local'),
    wouldBeFound: (cellId) => kept.includes(cellId),
  });
  const over = (cells = Object.keys(weights), anew: readonly string[] = []) =>
    reads.over({ cells, anew: new Set(anew) }, never);
  return { ...reads, over };
}

describe('a run that would read much', () => {
  it('is asked about when all of it together is more than the limit, and only what is not here counts', async () => {
    const weights = {
      one: weightOf([mount(70), mount(50, { name: 'here', cached_bytes: 50 })]),
      far: weightOf([mount(31, { kind: 'fetch', name: 'page', credential: null })]),
      unknown: weightOf([mount(null)]),
    };
    assert.deepEqual(await reading({ bytes: 101 }, weights).over(), null);
    assert.deepEqual(await reading({ bytes: 100, message: 'Mind the bill.' }, weights).over(), {
      cells: [
        { cell_id: 'one', machine: 'local', inputs: weights.one.far, bytes_to_move: 70, cost: 0 },
        { cell_id: 'far', machine: 'gpu', inputs: weights.far.far, bytes_to_move: 31, cost: 0 },
      ],
      message: 'Mind the bill.',
      keys: ['["one","local","as it is"]', '["far","gpu","as it is"]'],
    });
  });

  it('is asked about for its price too, at the rate of the credential', async () => {
    const weights = { one: weightOf([mount(2e9), mount(9e9, { name: 'free', credential: null })]) };
    const rates = { cloud: 0.09 };
    assert.equal(await reading({ dollars: 0.18, rates }, weights).over(), null);
    assert.deepEqual((await reading({ dollars: 0.17, rates }, weights).over())?.cells[0]?.cost, 0.18);
  });

  it('is never asked about without a limit, nor for a store that cannot be reached', async () => {
    const weights = { one: weightOf([mount(1e12)]) };
    assert.deepEqual([reading({}, weights).isAsked, await reading({}, weights).over()], [false, null]);
    assert.equal(await reading({ bytes: 0 }, {}).over(['broken', 'plain']), null);
  });

  it('is not asked about when its result is stored, unless it is run anew', async () => {
    const { over } = reading({ bytes: 10 }, { one: weightOf([mount(11)]) }, ['one']);
    assert.deepEqual([await over(), (await over(['one'], ['one']))?.cells.length], [null, 1]);
  });

  it('is asked about once, until what it reads is another', async () => {
    const weights: Record<string, Weight> = { one: weightOf([mount(11)]) };
    const { over, agree } = reading({ bytes: 10 }, weights);
    const asked = await over();
    assert.ok(asked);
    agree(asked);
    assert.equal(await over(), null);
    weights.one = weightOf([mount(11)], 'another');
    assert.equal((await over())?.cells.length, 1);
  });

  it('is held back or approved beforehand by a program, which is asked nothing unless it says so', async () => {
    const run = { cells: ['one'], anew: new Set<string>() };
    const { unconfirmed } = reading({ bytes: 10 }, { one: weightOf([mount(11)]) });
    const held = async (confirm: boolean, approve: boolean): Promise<boolean> =>
      (await unconfirmed(run, { confirm, approve }, never)) !== null;
    assert.deepEqual(
      [await held(false, false), await held(true, false), await held(true, true), await held(true, false)],
      [false, true, false, false],
    );
  });
});
