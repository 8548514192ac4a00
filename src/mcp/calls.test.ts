// Calls and the requests that take them back, in either order.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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

  it('remember only the latest that nobody has heard of', () => {
    const calls = createCalls();
    for (let id = 0; id <= 1000; id += 1) calls.hear('ann', takingBack(id));
    assert.deepEqual(
      [0, 1, 1000].map((id) => calls.hear('ann', call(id)).signal.aborted),
      [false, true, true],
    );
  });
});
