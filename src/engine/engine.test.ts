import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { EngineCrashed, EngineMisanswered, EngineRefused, EngineTimeout, EngineUnavailable } from './errors.ts';
import { MAX_FRAME_BYTES } from './frames.ts';
import { observedEngine } from './testing.ts';

test('a request starts the process, and the same process answers the next one', async () => {
  await using engine = observedEngine();
  assert.equal(engine.state, 'idle');
  const first = await engine.ask('process_id');
  assert.equal(engine.state, 'ready');
  assert.equal(engine.pid, first);
  assert.equal(await engine.ask('process_id'), first);
});

test('warm starts the process ahead of the first request', async () => {
  await using engine = observedEngine();
  await Promise.all([engine.warm(), engine.warm()]);
  assert.equal(engine.state, 'ready');
  assert.equal(await engine.ask('process_id'), engine.pid);
});

test('requests are answered each with its own result', async () => {
  await using engine = observedEngine();
  const numbers = Array.from({ length: 200 }, (_, number) => number);
  const answers = await Promise.all(numbers.map((number) => engine.ask('echo', { number })));
  assert.deepEqual(
    answers,
    numbers.map((number) => ({ number })),
  );
});

test('an operation that raises is refused and the process lives on', async () => {
  await using engine = observedEngine();
  const pid = await engine.ask('process_id');
  await assert.rejects(engine.ask('fail', { message: 'no such table' }), (problem) => {
    assert.ok(problem instanceof EngineRefused);
    assert.equal(problem.type, 'ValueError');
    assert.match(
      problem.message,
      /test process refused fail: ValueError: no such table\. Solve this, then repeat the request/,
    );
    return true;
  });
  await assert.rejects(engine.ask('leave_system'), { code: 'engine_refused', type: 'SystemExit' });
  await assert.rejects(engine.ask('nothing'), { code: 'engine_refused', type: 'UnknownOperation' });
  assert.equal(await engine.ask('process_id'), pid);
});

test('an answer of another shape is refused at this edge', async () => {
  await using engine = observedEngine();
  const asked = engine.request('echo', { rows: 'many' }, { schema: z.object({ rows: z.int() }) });
  await assert.rejects(asked, (problem) => {
    assert.ok(problem instanceof EngineMisanswered);
    assert.match(
      problem.message,
      /expected number, received string at rows\. Server and python\/svc_engine must be of one version/,
    );
    return true;
  });
});

for (const [what, op, params, ending] of [
  ['exits', 'leave', { code: 3 }, 'it exited with status 3'],
  ['exits as if all were well', 'leave', { code: 0 }, 'it exited with status 0'],
  ['crashes', 'kill', { signal: 11 }, 'it was ended by SIGSEGV'],
  ['is killed for its memory', 'kill', { signal: 9 }, 'it was ended by SIGKILL'],
  ['announces an absurd frame', 'lying_header', {}, 'a frame of 4294967295 bytes was announced'],
  ['sends what is not JSON', 'not_json', {}, 'it broke the protocol'],
] as const) {
  test(`a request whose process ${what} fails alone; its neighbours are answered by the next process`, async () => {
    await using engine = observedEngine();
    const [before, culprit, after, last] = await Promise.allSettled([
      engine.ask('process_id'),
      engine.ask(op, params),
      engine.ask('process_id'),
      engine.ask('echo', { neighbour: true }),
    ]);
    assert.ok(culprit.status === 'rejected' && culprit.reason instanceof EngineCrashed);
    assert.ok(culprit.reason.message.includes(ending), culprit.reason.message);
    assert.ok(before.status === 'fulfilled' && after.status === 'fulfilled');
    assert.notEqual(before.value, after.value);
    assert.deepEqual(last, { status: 'fulfilled', value: { neighbour: true } });
  });
}

test('a request that takes too long fails alone; time spent waiting behind another does not count', async () => {
  await using engine = observedEngine();
  const slow = engine.ask('hang', {}, { timeoutMs: 200 });
  const behind = engine.ask('echo', { behind: true }, { timeoutMs: 5_000 });
  await assert.rejects(slow, (problem) => {
    assert.ok(problem instanceof EngineTimeout);
    assert.match(problem.message, /did not finish hang within 200 ms and was ended\. Ask for less/);
    return true;
  });
  assert.deepEqual(await behind, { behind: true });
});

test('a waiting request that is cancelled is dropped; the one at work is not disturbed', async () => {
  await using engine = observedEngine({ limits: { cancelGraceMs: 60_000 } });
  const pid = await engine.ask('process_id');
  const stop = new AbortController();
  const atWork = engine.ask('echo', { payload: 'x'.repeat(1_000_000) });
  const waiting = engine.ask('leave', { code: 1 }, { signal: stop.signal });
  stop.abort(new Error('no longer needed'));
  await assert.rejects(waiting, { message: 'no longer needed' });
  await atWork;
  assert.equal(await engine.ask('process_id'), pid);
});

test('a cancelled request at work fails at once; its process is ended when it goes on past the grace', async () => {
  await using engine = observedEngine({ limits: { cancelGraceMs: 50 } });
  const stop = new AbortController();
  const running = engine.ask('spin', {}, { signal: stop.signal });
  const neighbour = engine.ask('echo', { neighbour: true });
  await engine.line('spinning');
  const first = engine.pid;
  stop.abort();
  await assert.rejects(running, { name: 'AbortError' });
  assert.deepEqual(await neighbour, { neighbour: true });
  assert.notEqual(engine.pid, first);
});

test('a cancelled request at work that still answers within the grace keeps its process', async () => {
  await using engine = observedEngine({ limits: { cancelGraceMs: 60_000 } });
  const pid = await engine.ask('process_id');
  const stop = new AbortController();
  const running = engine.ask('echo', { payload: 'x'.repeat(5_000_000) }, { signal: stop.signal });
  const neighbour = engine.ask('process_id');
  stop.abort();
  await assert.rejects(running, { name: 'AbortError' });
  assert.equal(await neighbour, pid);
});

test('a request with a signal that is aborted already is not sent', async () => {
  await using engine = observedEngine();
  await assert.rejects(engine.ask('echo', {}, { signal: AbortSignal.abort() }), { name: 'AbortError' });
  assert.equal(engine.state, 'idle');
});

test('a process that does not start is given up after bounded attempts, and the error says what to do', async () => {
  const limits = { maxFailedStarts: 3, backOffMs: 5, restAfterFailureMs: 20 };
  const args = ['-I', '-S', '-c', 'import no_such_module'];
  await using engine = observedEngine({ name: 'data', args, limits });
  const both = await Promise.allSettled([engine.ask('echo'), engine.warm()]);
  for (const outcome of both) {
    assert.ok(outcome.status === 'rejected' && outcome.reason instanceof EngineUnavailable);
    assert.match(outcome.reason.message, /The data process does not start: it exited with status 1 \(tried 3 times\)/);
    assert.match(outcome.reason.message, /No module named 'no_such_module'/);
    assert.match(outcome.reason.message, /Run `\S+ -I -S -c import no_such_module` by hand/);
  }
  assert.equal(engine.state, 'failed');
  await assert.rejects(engine.ask('echo'), EngineUnavailable);
  assert.equal(engine.lines.filter((entry) => entry.source === 'supervisor').length, 3);
});

test('a command that does not exist is named', async () => {
  await using engine = observedEngine({ command: '/no/such/python', limits: { maxFailedStarts: 2, backOffMs: 1 } });
  await assert.rejects(engine.ask('echo'), {
    code: 'engine_unavailable',
    message:
      /does not start: \/no\/such\/python could not be run \(spawn \/no\/such\/python ENOENT\) \(tried 2 times\)/,
  });
});

test('a process that hangs before it is ready counts as one that does not start', async () => {
  const args = ['-I', '-S', '-c', 'import time; time.sleep(3600)'];
  await using engine = observedEngine({ args, limits: { startTimeoutMs: 100, maxFailedStarts: 2, backOffMs: 1 } });
  await assert.rejects(engine.ask('echo'), { message: /it was not ready within 100 ms \(tried 2 times\)/ });
});

test('a process that dies while idle is replaced for the next request', async () => {
  await using engine = observedEngine();
  const first = z.int().parse(await engine.ask('process_id'));
  process.kill(first, 'SIGKILL');
  await engine.line('died while idle');
  assert.equal(engine.state, 'idle');
  assert.notEqual(await engine.ask('process_id'), first);
});

test('a request that reaches a dying process before it has begun is sent again', async () => {
  await using engine = observedEngine({ limits: { backOffMs: 1 } });
  const first = z.int().parse(await engine.ask('process_id'));
  process.kill(first, 'SIGKILL');
  assert.notEqual(await engine.ask('process_id'), first);
});

test('standard output and error go to the log line by line, whatever they hold', async () => {
  await using engine = observedEngine();
  assert.equal(await engine.ask('chatter'), 'done');
  await engine.close();
  const written = engine.lines.filter((entry) => entry.source !== 'supervisor');
  assert.deepEqual(
    written.filter((entry) => entry.source === 'stdout').map((entry) => entry.line.slice(0, 16)),
    ['\u0004\0\0\0null', 'not a frame', '\ufffd\ufffd', ...Array(5).fill('long'.repeat(4)), 'last without end'],
  );
  assert.deepEqual(
    written.filter((entry) => entry.source === 'stderr').map((entry) => entry.line),
    ['warning: something'],
  );
});

test('values that JSON or Unicode make difficult do not break the framing', async () => {
  await using engine = observedEngine();
  const pid = await engine.ask('process_id');
  assert.deepEqual(await engine.ask('echo', { text: '\ud800 \0 \u{1f600}', '': [] }), {
    text: '\ud800 \0 \u{1f600}',
    '': [],
  });
  assert.equal(await engine.ask('surrogate'), '\ud800 and \u{1f600}');
  await assert.rejects(engine.ask('not_a_number'), { type: 'ValueError' });
  await assert.rejects(engine.ask('echo', { share: Number.NaN }), { type: 'FrameProblem', message: /share is NaN/ });
  await assert.rejects(engine.request('huge_integer', {}, { schema: z.int() }), EngineMisanswered);
  assert.ok(Array.isArray(await engine.ask('nested', { depth: 500 })));
  await assert.rejects(engine.ask('nested', { depth: 100_000 }), { type: 'RecursionError' });
  assert.equal(await engine.ask('process_id'), pid);
});

test('frames above the limit are refused by either side before they are sent', async () => {
  await using engine = observedEngine();
  const pid = await engine.ask('process_id');
  await assert.rejects(engine.ask('echo', { text: 'x'.repeat(MAX_FRAME_BYTES) }), {
    type: 'FrameProblem',
    message: /takes 671\d{5} bytes and the limit is 67108864/,
  });
  await assert.rejects(engine.ask('huge_answer'), { type: 'FrameTooLarge', message: /ask for less at once/ });
  assert.equal(await engine.ask('process_id'), pid);
});

test('close ends the process and refuses what waits and what comes', async () => {
  const engine = observedEngine();
  const running = engine.ask('spin');
  const waiting = engine.ask('echo');
  await engine.line('spinning');
  const pid = z.int().parse(engine.pid);
  const refused = [assert.rejects(running, EngineUnavailable), assert.rejects(waiting, EngineUnavailable)];
  await engine.close();
  await Promise.all(refused);
  await assert.rejects(engine.ask('echo'), { message: /was closed; open a new engine/ });
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  await engine.close();
});
