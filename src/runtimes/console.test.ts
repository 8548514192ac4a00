import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createConsole, LIVE_INTERVAL_MS } from './console.ts';
import type { ConsoleEvent } from './runtime.ts';

function observed(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const events: ConsoleEvent[] = [];
  const console = createConsole((event) => events.push(event));
  const take = (): string[] => events.splice(0).map(({ stream, text }) => `${stream}: ${text}`);
  return { console, take, wait: () => t.mock.timers.tick(LIVE_INTERVAL_MS) };
}

test('the first text goes out at once, what follows together', (t) => {
  const { console, take, wait } = observed(t);
  console.write('stdout', Buffer.from('a'));
  assert.deepEqual(take(), ['stdout: a']);
  console.write('stdout', Buffer.from('b'));
  console.write('stderr', Buffer.from('x'));
  console.write('stdout', Buffer.from('c'));
  assert.deepEqual(take(), []);
  wait();
  assert.deepEqual(take(), ['stdout: bc', 'stderr: x']);
  wait();
  console.write('stdout', Buffer.from('d'));
  assert.deepEqual(take(), ['stdout: d']);
  assert.deepEqual(console.end(), { stdout: 'abcd', stderr: 'x' });
});

test('the end hands on what waits, also half a character', (t) => {
  const { console, take } = observed(t);
  console.write('stdout', Buffer.from('a'));
  console.write('stdout', Buffer.from('bü').subarray(0, 2));
  console.end();
  assert.deepEqual(take(), ['stdout: a', 'stdout: b�']);
});

test('a character that comes in two pieces is one', (t) => {
  const { console, take, wait } = observed(t);
  const [first, second] = [Buffer.from('ü').subarray(0, 1), Buffer.from('ü').subarray(1)];
  console.write('stdout', first);
  assert.deepEqual(take(), []);
  console.write('stdout', second);
  wait();
  assert.deepEqual(take(), ['stdout: ü']);
  assert.deepEqual(console.end(), { stdout: 'ü', stderr: '' });
});
