// The analysis against two judges that know better: CPython's symbol table over the standard library, and cells that
// are really run. SVC_TEST_WHOLE_STDLIB=1 takes all of the library with its own tests, not every fourth file of it;
// SVC_TEST_SEED repeats a random run.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { z } from 'zod';
import { python, pythonFolder } from './testing.ts';

const run = promisify(execFile);
const seed = process.env.SVC_TEST_SEED ?? String(randomInt(2 ** 31));

async function judge(script: string, args: readonly string[]): Promise<unknown> {
  const { stdout } = await run(python, ['-I', '-S', `${pythonFolder}svc_engine/tests/${script}`, ...args]);
  return JSON.parse(stdout);
}

test('module-level names agree with the symbol table over the standard library', async (context) => {
  const whole = process.env.SVC_TEST_WHOLE_STDLIB === '1';
  context.diagnostic(`SVC_TEST_SEED=${seed}`);
  const report = z
    .object({ compared: z.int().min(100), unparsed: z.int(), disagreements: z.record(z.string(), z.unknown()) })
    .parse(await judge('stdlib_differential.py', whole ? [] : ['--part', seed]));
  context.diagnostic(`${report.compared} files compared, ${report.unparsed} do not parse`);
  assert.deepEqual(report.disagreements, {});
});

test('references of random cells are the names that the running cell asks for', async (context) => {
  context.diagnostic(`SVC_TEST_SEED=${seed}`);
  const report = z
    .object({ ran: z.int().min(150), differing: z.array(z.unknown()) })
    .parse(await judge('random_cells.py', [seed, '1500']));
  context.diagnostic(`${report.ran} cells ran`);
  assert.deepEqual(report.differing, [], `SVC_TEST_SEED=${seed}`);
});
