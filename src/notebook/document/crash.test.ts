// Kills a writer at random moments. Whatever the moment, the document parses, every source is whole, and every edit that
// was acknowledged is there. SVC_TEST_SEED repeats a run's edits; the moments are the machine's.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { seed, temporaryFolder } from '../testing.ts';
import { digestOf } from './crashingWriter.ts';
import { createNotebook, readNotebook } from './index.ts';

const writer = fileURLToPath(new URL('./crashingWriter.ts', import.meta.url));
const rounds = 6;

it('a killed writer leaves whole files and every acknowledged edit', async (context) => {
  context.diagnostic(`SVC_TEST_SEED=${seed}`);
  await using folder = await temporaryFolder();
  const { directory } = await createNotebook(folder.path, { name: 'crash', pythonVersion: '3.13' });
  let edits = 0;
  for (let round = 0; round < rounds; round += 1) {
    const child = spawn(process.execPath, [writer, directory, String(seed + round)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    const killAfter = 2 + ((seed + round * 7) % 25);
    const told = { done: '', begins: '' };
    let count = 0;
    for await (const line of createInterface(child.stdout)) {
      const [kind, digest = ''] = line.split(' ');
      if (kind === 'done') count += 1;
      if (kind === 'done') Object.assign(told, { done: digest, begins: '' });
      else told.begins = digest;
      // By the time this is read the next edit is under way: the kill falls into the middle of one.
      if (count === killAfter) child.kill('SIGKILL');
    }
    await ended;
    edits += count - 1;
    const notebook = await readNotebook(directory);
    assert.deepEqual(notebook.problems, []);
    const found = digestOf(notebook);
    assert.ok(
      found === told.done || found === told.begins,
      `SVC_TEST_SEED=${seed}, round ${round}: neither the last acknowledged edit nor the one under way`,
    );
  }
  context.diagnostic(`${edits} edits acknowledged`);
});
