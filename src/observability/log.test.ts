import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type LogLevel, logRecord } from '../protocol/observability.ts';
import { parseLogLevel } from './levels.ts';
import { createLog } from './log.ts';
import { createLogRing } from './ring.ts';
import { parseFrame } from './source.ts';

function logTo(options: { level?: LogLevel; format?: 'json' | 'text'; traced?: boolean } = {}) {
  const lines: string[] = [];
  const ring = createLogRing();
  const log = createLog({
    level: options.level ?? 'info',
    format: options.format ?? 'json',
    destination: { write: (line: string) => lines.push(line) },
    ring,
    now: () => 1794711152.25,
    ...(options.traced ? { traceIds: () => ({ trace_id: 't'.repeat(32), span_id: 's'.repeat(16) }) } : {}),
  });
  return { lines, ring, log };
}

test('a JSON line has the keys of the protocol, in its order', () => {
  const { lines, log, ring } = logTo({ traced: true });
  log
    .child({ path: '/p/abcdef/data', request_id: 'r1', logger: 'svc.http' })
    .child({ method: 'GET', tenant_id: undefined })
    .info('answered', { status: 200, level: 'odd', authorization: 'Bearer x', skipped: undefined });
  assert.deepEqual(lines, [
    `{"level":"info","logger":"svc.http","message":"answered","timestamp":1794711152.25,"request_id":"r1","method":"GET","path":"/p/<redacted>/data","trace_id":"${'t'.repeat(32)}","span_id":"${'s'.repeat(16)}","status":200,"level_":"odd","authorization":"<redacted>"}\n`,
  ]);
  const kept = ring.query().entries;
  assert.deepEqual(kept, [{ ...JSON.parse(lines[0] ?? ''), cursor: 1 }]);
  assert.deepEqual(logRecord.parse(kept[0]), kept[0]);
});

test('warnings say where they were written', () => {
  const { log, ring } = logTo();
  function careless() {
    log.warning('careful');
  }
  careless();
  const source = ring.query().entries[0]?.source;
  assert.deepEqual({ ...source, line: 0 }, { file: 'src/observability/log.test.ts', line: 0, function: 'careless' });
  assert.ok(Number(source?.line) > 1);
});

test('frames of every form are understood', () => {
  assert.deepEqual(
    [
      '    at async Object.run (file:///x/a.ts:3:7)',
      '    at file:///x/a.ts:3:7',
      '    at node:internal/timers:12:1',
      'nonsense',
    ].map(parseFrame),
    [
      { file: 'file:///x/a.ts', line: 3, function: 'Object.run' },
      { file: 'file:///x/a.ts', line: 3, function: '<module>' },
      { file: 'node:internal/timers', line: 12, function: '<module>' },
      undefined,
    ],
  );
});

test('an error becomes the exception, with its causes and without secrets', () => {
  const { log, ring } = logTo();
  const cause = new Error('connect postgres://svc:hunter2@db failed');
  log.info('store is gone', { error: new Error('no store', { cause }) });
  const exception = ring.query().entries[0]?.exception ?? '';
  assert.match(exception, /^Error: no store\n[\s\S]+\nCaused by: Error: connect postgres:\/\/svc:<redacted>@db failed/);
});

test('levels below the minimum are neither printed nor kept', () => {
  const { lines, log, ring } = logTo({ level: 'warning' });
  log.info('no');
  log.debug('no');
  log.child({}).error('yes');
  assert.deepEqual([lines.length, ring.query().cursor], [1, 1]);
  assert.deepEqual([log.isEnabled('info'), log.isEnabled('critical')], [false, true]);
});

test('a text line is one line for a person', () => {
  const { lines, log } = logTo({ format: 'text' });
  log.child({ request_id: 'r1' }).info('two\nlines', { rows: 3, name: 'a b', nested: { a: 1 } });
  assert.equal(lines.length, 1);
  assert.match(
    lines[0] ?? '',
    /^\d{4}-\d\d-\d\d \d\d:\d\d:32\.250 INFO {5}svc: two\\nlines request_id=r1 rows=3 name="a b" nested=\{"a":1\}\n$/,
  );
});

test('nothing in a text line speaks to the terminal or begins another line', () => {
  const { lines, log } = logTo({ format: 'text' });
  log.info('a\u001b[2Jb\u2028c', { id: 'x\u009b1mINFO', path: '/a\tb\u001b]0;c' });
  assert.match(lines[0] ?? '', /svc: a\\u001b\[2Jb\\u2028c id=x\\u009b1mINFO path="\/a\\tb\\u001b\]0;c"\n$/);
});

test('a lifecycle line has the shape of its own', () => {
  const { lines, log, ring } = logTo({ level: 'critical' });
  log.lifecycle('server_started', { port: 8765, dsn: 'postgres://a:b@c/d' });
  assert.deepEqual(lines, [
    '{"event":"server_started","timestamp":1794711152.25,"port":8765,"dsn":"postgres://a:<redacted>@c/d"}\n',
  ]);
  assert.equal(ring.query().cursor, 0);
});

test('level words of other systems are understood', () => {
  assert.deepEqual(['INFO', 'Warning', 'warn', 'FATAL', 'CRITICAL', 'NOTSET', 'loud', ''].map(parseLogLevel), [
    'info',
    'warning',
    'warning',
    'critical',
    'critical',
    'debug',
    undefined,
    undefined,
  ]);
});

test('a line is in the file when the call returns', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-log-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'log');
  const descriptor = openSync(file, 'w');
  const log = createLog({
    level: 'info',
    format: 'json',
    destination: descriptor,
    ring: createLogRing(),
    now: () => 1,
  });
  log.info('début');
  log.flush();
  assert.equal(readFileSync(file, 'utf8'), '{"level":"info","logger":"svc","message":"début","timestamp":1}\n');
  assert.equal(log.droppedLines(), 0);
  closeSync(descriptor);
});

test('a reader that stopped reading costs lines, not time', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-log-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const pipe = join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const descriptor = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  const ring = createLogRing();
  const log = createLog({ level: 'info', format: 'json', destination: descriptor, ring });
  for (let i = 0; i < 3000; i += 1) log.info('x'.repeat(1000));
  assert.ok(log.droppedLines() > 1000 && log.droppedLines() < 2500, String(log.droppedLines()));
  assert.equal(ring.query().cursor, 3000);
  closeSync(descriptor);
});
