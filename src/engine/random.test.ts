// Random traffic over one engine: whatever the neighbours do, each request ends in its own way. SVC_TEST_SEED repeats
// a run.

import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { createAnalysis } from './analysis.ts';
import { EngineCrashed, EngineRefused, EngineTimeout } from './errors.ts';
import { analysisCommand, type ObservedEngine, observedEngine } from './testing.ts';

const seed = Number(process.env.SVC_TEST_SEED ?? randomInt(2 ** 31));

/** A small generator of numbers in [0, 1) that a seed determines (mulberry32). */
function randomNumbers(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const kinds: Record<string, (engine: ObservedEngine, number: number) => Promise<unknown>> = {
  answered: (engine, number) => engine.ask('echo', { number }),
  refused: (engine) => engine.ask('fail', { message: 'no' }),
  crashed: (engine, number) => engine.ask(number % 2 ? 'leave' : 'kill', { code: 1, signal: 11 }),
  late: (engine) => engine.ask('hang', {}, { timeoutMs: 30 }),
  cancelled(engine, number) {
    const stop = new AbortController();
    const asked = engine.ask(number % 3 ? 'echo' : 'spin', {}, { signal: stop.signal });
    setImmediate(() => stop.abort());
    return asked;
  },
};

function ending(number: number, outcome: PromiseSettledResult<unknown>): string {
  if (outcome.status === 'fulfilled') {
    assert.deepEqual(outcome.value, { number });
    return 'answered';
  }
  const problem: unknown = outcome.reason;
  if (problem instanceof EngineRefused) return 'refused';
  if (problem instanceof EngineCrashed) return 'crashed';
  if (problem instanceof EngineTimeout) return 'late';
  return problem instanceof DOMException && problem.name === 'AbortError' ? 'cancelled' : String(problem);
}

test('each of many random requests ends in its own way', async (context) => {
  context.diagnostic(`SVC_TEST_SEED=${seed}`);
  const random = randomNumbers(seed);
  await using engine = observedEngine({ limits: { cancelGraceMs: 20, backOffMs: 1 } });
  await engine.warm();
  const names = ['answered', 'answered', 'answered', 'answered', ...Object.keys(kinds)];
  const chosen = Array.from({ length: 60 }, () => names[Math.floor(random() * names.length)] ?? 'answered');
  const outcomes = await Promise.allSettled(chosen.map((kind, number) => kinds[kind]?.(engine, number)));
  assert.deepEqual(
    outcomes.map((outcome, number) => ending(number, outcome)),
    chosen,
    `SVC_TEST_SEED=${seed}`,
  );
});

test('no random text takes the analysis down', async (context) => {
  context.diagnostic(`SVC_TEST_SEED=${seed}`);
  const random = randomNumbers(seed);
  // biome-ignore format: fragments read better in rows
  const fragments = [
    'x', 'def f(', 'class A:', 'lambda', ':', '(', ')', '[', ']', '{', '}', '\n', '\n ', '\n  ', '\t', '\\\n', ' = ', ' := ',
    "'", '"', '"""', "f'{", '}\'', 'b', '\0', '\ud800', '\udfff', '\ufeff', '\u2028', '\r', '\f', 'é', '𝕏', '# @', '0x', '1e999',
    '**', '*', '->', '@', 'match x:\n case ', 'type X = ', 'global x', 'nonlocal x', 'yield ', 'await ', 'async ', 'for ', ' in ',
    'import *', 'from . import ', 'del ', 'return', 'if ', ' else ', ',', '...', '# coding: utf-7\n', 'not ', 'except*', '~',
  ];
  const sources = Array.from({ length: 3_000 }, () =>
    Array.from({ length: 1 + random() * 25 }, () => fragments[Math.floor(random() * fragments.length)]).join(''),
  );
  await using engine = observedEngine({ name: 'analysis', ...analysisCommand });
  await engine.warm();
  const { pid } = engine;
  const found = await createAnalysis(engine).analyseMany(sources);
  assert.equal(engine.pid, pid);
  const parsed = found.filter((one) => one.error === null).length;
  context.diagnostic(`${parsed} of ${found.length} parse`);
  assert.deepEqual(
    found.filter((one) => one.error !== null && !one.error.message.startsWith('Syntax error: ')),
    [],
    `SVC_TEST_SEED=${seed}`,
  );
});
