import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFairLine } from './fairLine.ts';

const never = new AbortController().signal;

test('a long line of one tenant holds up nobody of another', async () => {
  const line = createFairLine(1);
  const done: string[] = [];
  const asked = ['loud 1', 'loud 2', 'loud 3', 'loud 4', 'quiet 1', 'calm 1', 'quiet 2'];
  await Promise.all(asked.map((what) => line.run(what.split(' ')[0] ?? '', async () => void done.push(what), never)));
  assert.deepEqual(done, ['loud 1', 'loud 2', 'quiet 1', 'calm 1', 'loud 3', 'quiet 2', 'loud 4']);
});

test('as many at a time as there are places, and a place is free again after a failure', async () => {
  const line = createFairLine(2);
  let [now, most] = [0, 0];
  const work = async (): Promise<void> => {
    most = Math.max(most, ++now);
    await new Promise(setImmediate);
    now -= 1;
    throw new Error('failed');
  };
  const ended = await Promise.allSettled(Array.from({ length: 6 }, () => line.run('one', work, never)));
  assert.deepEqual([most, now, ended.map(({ status }) => status)], [2, 0, Array(6).fill('rejected')]);
});

test('who gives up leaves the line, and nobody waits for it', async () => {
  const line = createFairLine(1);
  const [first, patience] = [Promise.withResolvers<void>(), new AbortController()];
  const done: string[] = [];
  const begun = line.run('one', () => first.promise, never);
  const impatient = line.run('one', async () => void done.push('impatient'), patience.signal);
  const last = line.run('one', async () => void done.push('last'), never);
  patience.abort(new Error('too long'));
  await assert.rejects(impatient, /too long/);
  first.resolve();
  await Promise.all([begun, last]);
  assert.deepEqual(done, ['last']);
});
