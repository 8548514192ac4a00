import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import { openArtifactStore } from '../../artifacts/index.ts';
import { createResults, type KeptResult } from './results.ts';

const resultAt = (key: string, createdAt: number): KeptResult => ({
  key,
  createdAt,
  sourceDigest: '',
  environmentHash: '',
  variables: {},
  displays: [],
  stdout: '',
  stderr: '',
  durationMs: 1,
});

it('results keep their order although the clock was set back between them, and the newest is the last to go', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-results-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const store = await openArtifactStore(folder);
  const results = createResults(store);
  const keys = async () => (await results.load()).get('cell')?.map(({ key }) => key);
  for (const [key, at] of [
    ['first', 7200],
    ['second', 3600],
    ['third', 3601],
  ] as const)
    await results.keep('cell', [], () => resultAt(key, at));
  assert.deepEqual(await keys(), ['first', 'second', 'third']);
  await results.keep('cell', [], () => resultAt('first', 10));
  assert.deepEqual(await keys(), ['second', 'third', 'first']);
  await results.prune(1, () => 'there');
  assert.deepEqual(await keys(), ['third', 'first']);
  await store.close();
});
