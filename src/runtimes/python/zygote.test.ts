import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { attachZygote, type Ending } from './zygote.ts';

test('a job for a zygote that was just let go is given back, and may go to another', async () => {
  const pipes = {
    orders: new PassThrough(),
    reports: new PassThrough(),
    exit: Promise.resolve('it exited'),
    kill() {},
  };
  const ignored = { onReady() {}, onUnfit() {}, onEnd() {} };
  const zygote = attachZygote(pipes, new Set(), ignored);
  const closed = zygote.close();
  const ending = await new Promise<Ending>((resolve) => {
    const unused = { onBegun() {}, onConsole() {}, onMessage() {}, onResult() {} };
    zygote.start({}, { ...unused, onEnded: resolve });
  });
  assert.deepEqual(ending, { status: null, signal: null, lost: 'it ended', unsent: true });
  assert.deepEqual([zygote.isClosing, zygote.runCount], [true, 0]);
  pipes.reports.destroy();
  await closed;
});
