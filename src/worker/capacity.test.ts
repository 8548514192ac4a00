import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCapacity } from './capacity.ts';

test('each seat has a GPU of its own, which is free again once', () => {
  const capacity = createCapacity({ maxConcurrent: null, gpuSlots: 2 });
  const [first, second] = [capacity.take(), capacity.take()];
  assert.deepEqual([first.gpu, second.gpu, capacity.freeGpus, capacity.active], ['0', '1', 0, 2]);
  assert.throws(() => capacity.take(), { message: 'All 2 GPU slots of this worker are taken; try again later.' });
  first.release();
  first.release();
  assert.deepEqual([capacity.freeGpus, capacity.active, capacity.take().gpu], [1, 1, '0']);
});

test('a worker hands out the devices that it was left itself', () => {
  const capacity = createCapacity({ maxConcurrent: null, gpuSlots: 2, visibleDevices: '3, GPU-5ac' });
  assert.deepEqual([capacity.take().gpu, capacity.take().gpu], ['3', 'GPU-5ac']);
});
