import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { withFewArenas } from '../bin/fewArenas.js';

const look = `
  import { execFileSync } from 'node:child_process';
  import { forgetFewArenas } from './bin/fewArenas.js';
  const atStart = process.env.MALLOC_ARENA_MAX;
  forgetFewArenas();
  const seen = execFileSync(process.execPath, ['-p', 'JSON.stringify(process.env)'], { encoding: 'utf8' });
  process.stdout.write(JSON.stringify({ atStart, ofItsProcesses: JSON.parse(seen) }));
`;

const lookedAt = (env: Record<string, string>): unknown =>
  JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', look], { encoding: 'utf8', env: withFewArenas(env) }),
  );

test('a program is started with few arenas of memory, and what it starts knows nothing of that', () => {
  assert.deepEqual(lookedAt({ HOME: '/home/ada' }), { atStart: '2', ofItsProcesses: { HOME: '/home/ada' } });
});

test('who chose a number of arenas keeps it, in cells too', () => {
  const chosen = { MALLOC_ARENA_MAX: '8' };
  assert.deepEqual(lookedAt(chosen), { atStart: '8', ofItsProcesses: chosen });
});
