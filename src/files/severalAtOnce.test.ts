import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { severalAtOnce } from './severalAtOnce.ts';

it('does several at once, each one time', async () => {
  const done: number[] = [];
  let running = 0;
  let most = 0;
  await severalAtOnce(Array(30).keys(), async (item) => {
    running += 1;
    most = Math.max(most, running);
    await turn();
    running -= 1;
    done.push(item);
  });
  assert.deepEqual([done.toSorted((a, b) => a - b), most], [[...Array(30).keys()], 8]);
});

it('begins nothing after a failure, and ends when what was begun has ended', async () => {
  let begun = 0;
  let ended = 0;
  const work = async (item: number): Promise<void> => {
    begun += 1;
    await turn();
    ended += 1;
    if (item === 3) throw new Error('lost');
  };
  await assert.rejects(severalAtOnce(Array(100).keys(), work), /lost/);
  assert.deepEqual([begun, ended], [ended, begun]);
  assert.ok(begun < 20, `${begun} were begun`);
});
