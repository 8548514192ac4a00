// Random tables and filters: our scans against pyiceberg's own. SVC_TEST_SEED repeats a run.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { enginePython } from '../scripts/setup/places.js';

const program = fileURLToPath(new URL('../python/svc_engine/tests/table_differential.py', import.meta.url));

it('scans give what pyiceberg gives', { timeout: 800_000 }, async (context) => {
  const seed = process.env.SVC_TEST_SEED ?? String(randomInt(2 ** 31));
  context.diagnostic(`seed ${seed}`);
  const { stdout } = await promisify(execFile)(enginePython, [program, seed, '10']);
  assert.ok(Object(JSON.parse(stdout)).compared > 50);
});
