// The console of a running cell: live, complete within bounds, whatever is written and whoever writes it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ConsoleEvent } from '../src/runtimes/index.ts';
import { type Cells, startCells } from './kit/cells.ts';
import { bareInterpreter } from './kit/notebookEnvironment.ts';

let cells: Cells;
before(async () => {
  cells = startCells(await bareInterpreter());
});
after(() => cells[Symbol.asyncDispose]());

const liveText = (events: readonly ConsoleEvent[], stream: string): string =>
  events
    .filter((event) => event.stream === stream)
    .map((event) => event.text)
    .join('');

test('text appears while the cell still runs', async () => {
  const first = Promise.withResolvers<ConsoleEvent>();
  const stop = new AbortController();
  const run = cells.run(`print('here', flush=True)\nimport time; time.sleep(600)`, {
    onEvent: first.resolve,
    signal: stop.signal,
  });
  assert.deepEqual(await first.promise, { type: 'console', stream: 'stdout', text: 'here\n' });
  stop.abort();
  assert.equal((await run).stdout, 'here\n');
});

test('what C code and other programs write is captured, in its stream', async () => {
  const events: ConsoleEvent[] = [];
  const { stdout, stderr } = await cells.run(
    `
import os, subprocess, sys
print('python')
os.write(1, b'descriptor\\n')
subprocess.run(['sh', '-c', 'echo program; echo fault >&2'])
print('error', file=sys.stderr)
print('end', end='')
`,
    { onEvent: (event) => events.push(event) },
  );
  assert.equal(stdout, 'python\ndescriptor\nprogram\nend');
  assert.equal(stderr, 'fault\nerror\n');
  assert.equal(liveText(events, 'stdout'), stdout);
  assert.equal(liveText(events, 'stderr'), stderr);
});

test('bytes that are no text are shown as such, and characters are never cut', async () => {
  const events: ConsoleEvent[] = [];
  const { stdout } = await cells.run(
    `
import os, time
os.write(1, b'a\\xff\\xfeb ')
for byte in 'ü€😀'.encode():
    os.write(1, bytes([byte])); time.sleep(0.01)
print('\\ud800')
os.write(1, 'ü'.encode()[:1])
`,
    { onEvent: (event) => events.push(event) },
  );
  assert.equal(stdout, 'a��b ü€😀\\ud800\n�');
  assert.equal(liveText(events, 'stdout'), stdout);
});

test('a hundred megabytes pass through without filling the memory', async () => {
  const events: ConsoleEvent[] = [];
  const before = process.memoryUsage().rss;
  let highest = before;
  const { stdout, outcome } = await cells.run(
    `
print('first')
line = 'x' * 999 + '\\n'
import sys
for _ in range(100):
    sys.stdout.write(line * 1000)
print('last')
`,
    {
      onEvent(event) {
        events.push(event);
        highest = Math.max(highest, process.memoryUsage().rss);
      },
    },
  );
  assert.equal(outcome, 'success');
  assert.ok(stdout.startsWith('first\nxxx') && stdout.endsWith('xxx\nlast\n'));
  assert.match(stdout, /\n… 9\d{7} bytes left out …\n/);
  assert.ok(stdout.length < 1_100_000);
  assert.ok(Math.max(...events.map((event) => event.text.length)) < 140_000);
  assert.ok(highest - before < 150 * 1024 * 1024, `${(highest - before) >> 20} MiB more`);
});

test('a single line without end is bounded too', async () => {
  const { stdout } = await cells.run(`import sys\nfor _ in range(64): sys.stdout.write('y' * 1_000_000)`);
  assert.match(stdout, /^y{524288}\n… 62951424 bytes left out …\ny{524288}$/);
});

test('many lines come in few events', async () => {
  const events: ConsoleEvent[] = [];
  const { stdout } = await cells.run('for i in range(10_000): print(i)', { onEvent: (event) => events.push(event) });
  assert.equal(stdout.split('\n').length, 10_001);
  assert.equal(liveText(events, 'stdout'), stdout);
  assert.ok(events.length < 60, `${events.length} events`);
});

test('a neighbour is not slowed down by one that prints without end', async () => {
  const stop = new AbortController();
  const noisy = cells.run(`while True: print('noise' * 1000)`, { signal: stop.signal });
  const quiet = await cells.run('1 + 1');
  assert.equal(quiet.displays[0]?.preview, 2);
  stop.abort();
  assert.equal((await noisy).outcome, 'cancelled');
});

test('input() finds nothing to read', async () => {
  assert.equal((await cells.run('input()')).error?.error_type, 'EOFError');
});

test('a cell that closes or replaces its streams still gives its result', async () => {
  for (const source of [
    'import sys; sys.stdout.close(); x = 1',
    'import sys; sys.stdout = sys.stderr = None; x = 1',
    'import os; os.close(1); os.close(2); x = 1',
  ]) {
    const { outcome, variables } = await cells.run(source);
    assert.equal(outcome, 'success', source);
    assert.equal(variables.x?.preview, 1);
  }
});
