import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import path from 'node:path';
import { it } from 'node:test';
import { z } from 'zod';
import { temporaryFolder } from '../testing.ts';
import { openSavedMap, type SavedForm } from './savedMap.ts';

const form: SavedForm<number> = {
  parse: (content) => z.record(z.string(), z.number()).parse(content),
  print: (entries) => entries,
};

it('keeps what was saved, in the order of the calls, and nothing that could not be', async () => {
  await using folder = await temporaryFolder();
  const own = path.join(folder.path, 'own');
  const file = path.join(own, 'numbers.json');
  await fs.mkdir(own);
  const numbers = await openSavedMap(file, form);
  await Promise.all([
    numbers.set('a', 1),
    numbers.set('b', 2),
    numbers.update('a', (before = 0) => before + 2),
    numbers.delete('none'),
    numbers.set('c', 5),
    numbers.delete('c'),
  ]);
  assert.equal(numbers.get('c'), undefined);
  await fs.rename(own, path.join(folder.path, 'away'));
  await assert.rejects(numbers.set('a', 4));
  await assert.rejects(numbers.delete('b'));
  assert.deepEqual([numbers.get('a'), numbers.get('b')], [3, 2]);
  await fs.rename(path.join(folder.path, 'away'), own);
  await numbers.delete('b');
  const again = await openSavedMap(file, form);
  assert.deepEqual([again.get('a'), again.get('b')], [3, undefined]);
  await fs.writeFile(file, '{"a": "none of ours"}');
  assert.equal((await openSavedMap(file, form)).get('a'), undefined);
});
