// Kills a writer at random moments. Whatever the moment, the document parses, every source is whole, and every edit that
// was acknowledged is there. SVC_TEST_SEED repeats a run's edits; the moments are the machine's.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { seed, temporaryFolder } from '../testing.ts';
import { createNotebook, type Notebook, readNotebook } from './index.ts';

const writer = fileURLToPath(new URL('./crashingWriter.ts', import.meta.url));
const rounds = 8;

interface Acknowledged {
  readonly name: string;
  readonly sources: Readonly<Record<string, string>>;
}

it('a killed writer leaves whole files and every acknowledged edit', { timeout: 120_000 }, async (context) => {
  context.diagnostic(`SVC_TEST_SEED=${seed}`);
  await using folder = await temporaryFolder();
  const { directory } = await createNotebook(folder.path, { name: 'crash', pythonVersion: '3.13' });
  let edits = 0;
  for (let round = 0; round < rounds; round += 1) {
    const child = spawn(process.execPath, [writer, directory, String(seed + round)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const deaths = once(child, 'exit');
    const killAfter = 1 + ((seed + round * 7) % 40);
    let acknowledged: Acknowledged | undefined;
    let pending: Acknowledged | undefined;
    let count = 0;
    for await (const line of createInterface(child.stdout)) {
      const { kind, state }: { kind: 'about to' | 'done'; state: Acknowledged } = JSON.parse(line);
      if (kind === 'done') [acknowledged, pending] = [state, undefined];
      else pending = state;
      if (kind === 'done') count += 1;
      // Not between edits but in the middle of one: the next has already begun.
      if (count === killAfter) child.kill('SIGKILL');
    }
    await deaths;
    edits += count;
    const found = stateOf(await readNotebook(directory));
    const allowed = [acknowledged, pending].filter((state) => state !== undefined);
    assert.ok(
      allowed.some((state) => JSON.stringify(state) === JSON.stringify(found)),
      `SVC_TEST_SEED=${seed}, round ${round}: found ${JSON.stringify(found)}, acknowledged ${JSON.stringify(allowed)}`,
    );
  }
  context.diagnostic(`${edits} edits acknowledged`);
});

function stateOf({ name, cells, problems }: Notebook): Acknowledged {
  assert.deepEqual(problems, []);
  return { name, sources: Object.fromEntries(cells.map(({ id, source }) => [id, source])) };
}
