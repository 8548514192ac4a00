import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../tests/kit/until.ts';
import { createEventLoop } from './eventLoop.ts';

/** Nothing else has its turn meanwhile. */
function block(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

test('a loop that was held up says for how long, and nothing before and after it is watched', async () => {
  const idle = { delay_p50_ms: 0, delay_p99_ms: 0, delay_max_ms: 0 };
  const loop = createEventLoop();
  assert.deepEqual(loop.snapshot(), idle);
  const stop = loop.watch();
  await until(() => loop.snapshot().delay_max_ms > 0, 'the timer has been late by a little');
  block(200);
  await until(() => loop.snapshot().delay_max_ms >= 150, 'the timer was late by what blocked it');
  stop();
  assert.deepEqual(loop.snapshot(), idle);
});
