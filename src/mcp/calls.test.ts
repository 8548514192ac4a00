// Calls and the requests that take them back, in either order.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Owners } from '../nodes/index.ts';
import { createCalls } from './calls.ts';

const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call' });
const takingBack = (requestId: number) => ({ method: 'notifications/cancelled', params: { requestId } });

describe('calls under way', () => {
  it('are taken back by their own client, also when that is heard first', () => {
    const calls = createCalls();
    const [first, second] = [calls.hear('ann', call(1)), calls.hear('bob', call(1))];
    calls.hear('ann', takingBack(1));
    calls.hear('ann', takingBack(2));
    const overtaken = calls.hear('ann', call(2));
    assert.deepEqual(
      [first, second, overtaken].map(({ signal }) => signal.aborted),
      [true, false, true],
    );
    overtaken.done();
    assert.equal(calls.hear('ann', call(2)).signal.aborted, false);
  });

  it('are found on the server that has them, for as long as it has them', async () => {
    const held = new Map<string, string>();
    const ownersOf = (own: string): Owners => ({
      claim: async (id) => void held.set(id, own),
      release: async (id) => void held.delete(id),
      otherOwner: async (id) => (held.get(id) === own ? undefined : held.get(id)),
    });
    const [first, second] = [createCalls(ownersOf('first')), createCalls(ownersOf('second'))];
    const running = first.hear('ann', call(1));
    assert.equal(await second.hear('ann', takingBack(1)).otherServer(), 'first');
    assert.equal(await first.hear('ann', takingBack(1)).otherServer(), undefined);
    assert.equal(running.signal.aborted, true);
    const overtaken = second.hear('ann', takingBack(2)).otherServer();
    first.hear('ann', call(2));
    assert.equal(await overtaken, 'first');
    running.done();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(held.size, 1);
  });

  it('remember only the latest that nobody has heard of', () => {
    const calls = createCalls();
    for (let id = 0; id <= 1000; id += 1) calls.hear('ann', takingBack(id));
    assert.deepEqual(
      [0, 1, 1000].map((id) => calls.hear('ann', call(id)).signal.aborted),
      [false, true, true],
    );
  });
});
