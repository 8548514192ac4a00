import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LogLevel, type LogRecord, logsBody } from '../protocol/observability.ts';
import { LogPatternError } from './logPattern.ts';
import { createLogRing } from './ring.ts';

function record(message: string, more: { level?: LogLevel; notebook_id?: string } = {}): LogRecord {
  return { level: 'info', logger: 'svc', message, timestamp: 1.5, ...more };
}

function ringOf(count: number, capacity?: number) {
  const ring = createLogRing(capacity === undefined ? {} : { capacity });
  for (let i = 1; i <= count; i += 1) ring.append(record(`m${i}`));
  return ring;
}

const messages = (body: { entries: { message: string }[] }) => body.entries.map((entry) => entry.message);

test('cursors count from 1 and name the newest entry', () => {
  const ring = createLogRing();
  assert.deepEqual(ring.query(), { entries: [], cursor: 0 });
  ring.append(record('first'));
  const body = ring.query();
  assert.deepEqual(body, {
    entries: [{ level: 'info', logger: 'svc', message: 'first', timestamp: 1.5, cursor: 1 }],
    cursor: 1,
  });
  assert.deepEqual(logsBody.parse(body), body);
});

test('a full ring forgets its oldest entries and keeps counting', () => {
  const ring = ringOf(7, 3);
  assert.deepEqual([messages(ring.query()), ring.query().cursor], [['m5', 'm6', 'm7'], 7]);
  assert.deepEqual(messages(ring.query({ since: 6 })), ['m7']);
  assert.deepEqual(messages(ring.query({ since: 99 })), []);
});

test('the newest matches are answered, oldest first', () => {
  const ring = ringOf(10);
  assert.deepEqual(messages(ring.query({ limit: 3 })), ['m8', 'm9', 'm10']);
  assert.deepEqual(messages(ring.query({ since: 2, limit: 2, regex: '[3-5]$' })), ['m4', 'm5']);
});

test('filters by least severity, notebook and message', () => {
  const ring = createLogRing();
  ring.append(record('quiet', { level: 'debug' }));
  ring.append(record('Disk almost full', { level: 'warning', notebook_id: 'n1' }));
  ring.append(record('disk full', { level: 'error', notebook_id: 'n2' }));
  assert.deepEqual(messages(ring.query({ level: 'WARNING' })), ['Disk almost full', 'disk full']);
  assert.deepEqual(messages(ring.query({ level: 'loud' })), ['quiet', 'Disk almost full', 'disk full']);
  assert.deepEqual(messages(ring.query({ notebook: 'n1' })), ['Disk almost full']);
  assert.deepEqual(messages(ring.query({ regex: '^disk' })), ['disk full']);
  assert.deepEqual(messages(ring.query({ regex: '(?i)^disk' })), ['Disk almost full', 'disk full']);
});

test('a bad expression is the caller’s error', () => {
  const ring = ringOf(1);
  assert.throws(() => ring.query({ regex: '(' }), new LogPatternError('invalid regex: Unterminated group'));
  assert.throws(() => ring.subscribe({ regex: '(' }, new AbortController().signal), LogPatternError);
  assert.throws(
    () => ring.query({ regex: 'a'.repeat(513) }),
    new LogPatternError('invalid regex: longer than 512 characters'),
  );
});

test('an expression that would backtrack for ever is cut short', () => {
  const ring = createLogRing();
  ring.append(record(`${'a'.repeat(3000)}!`));
  for (const regex of ['^(a+)+$', '(a|a)*b', '.*.*.*.*=x', '^(?:(a+)+)+$']) {
    assert.throws(
      () => ring.query({ regex }),
      new LogPatternError('invalid regex: matching took longer than 250 ms; use a simpler expression'),
    );
  }
  assert.deepEqual(messages(ring.query({ regex: 'a!' })).length, 1, 'and the next query works');
});

test('a subscriber gets the backlog, then each new match', async () => {
  const ring = ringOf(3);
  const stop = new AbortController();
  const tail = ring.subscribe({ since: 1, regex: '^m' }, stop.signal);
  const seen = async () => (await tail.next()).value?.message;
  assert.deepEqual([await seen(), await seen()], ['m2', 'm3']);
  const next = seen();
  ring.append(record('other'));
  ring.append(record('m4'));
  assert.equal(await next, 'm4');
  const last = tail.next();
  stop.abort();
  assert.deepEqual(await last, { done: true, value: undefined });
});

test('a slow subscriber skips what was overwritten', async () => {
  const ring = ringOf(1, 3);
  const stop = new AbortController();
  const tail = ring.subscribe({}, stop.signal);
  assert.equal((await tail.next()).value?.message, 'm1');
  for (let i = 2; i <= 9; i += 1) ring.append(record(`m${i}`));
  assert.equal((await tail.next()).value?.message, 'm7');
  stop.abort();
  assert.deepEqual(await tail.next(), { done: true, value: undefined });
});

test('an aborted subscription never waits', async () => {
  const ring = ringOf(0);
  assert.deepEqual(await ring.subscribe({}, AbortSignal.abort()).next(), { done: true, value: undefined });
});

test('a cursor from before a restart hides nothing new', async () => {
  const ring = ringOf(2);
  const stop = new AbortController();
  const tail = ring.subscribe({ since: 5000 }, stop.signal);
  const next = tail.next();
  ring.append(record('m3'));
  assert.equal((await next).value?.message, 'm3');
  stop.abort();
});

test('an expression searches the whole record, part by part', () => {
  const ring = createLogRing();
  ring.append({ ...record('A run ended by a fault'), cell_id: 'c42', exception: 'Error: no room\n    at write' });
  ring.append({ ...record('Another'), path: '/data/c421' });
  const found = (regex: string): string[] => messages(ring.query({ regex }));
  assert.deepEqual(
    [found('^c42$'), found('no room'), found('^A run .* fault$'), found('c42'), found('(?i)ANOTHER$'), found('cursor')],
    [
      ['A run ended by a fault'],
      ['A run ended by a fault'],
      ['A run ended by a fault'],
      ['A run ended by a fault', 'Another'],
      ['Another'],
      [],
    ],
  );
});
