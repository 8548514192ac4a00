// A search in a table leaves the rows that one over all texts leaves, whatever it does not look at. Tables and searches are
// random; SVC_TEST_SEED repeats a run.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { z } from 'zod';
import { enginePython } from '../scripts/setup/places.js';
import { createRandom } from './kit/random.ts';

test('searches that are typed letter by letter leave what a search through all texts leaves', async (t) => {
  const { seed } = createRandom((line) => t.diagnostic(line));
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-searches-'));
  t.after(() => fs.rmSync(folder, { recursive: true, force: true }));
  const program = path.join(import.meta.dirname, '../python/svc_engine/tests/search_random.py');
  const { stdout } = await promisify(execFile)(enginePython, [
    program,
    String(seed),
    '150',
    path.join(folder, 'table'),
  ]);
  const told = z.object({ searches: z.int().min(40), wrong: z.array(z.unknown()) });
  assert.deepEqual(told.parse(JSON.parse(stdout)).wrong, []);
});
