import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { inTurn } from './inTurn.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-turn-'));
after(() => fs.rmSync(folder, { recursive: true, force: true }));
const { signal } = new AbortController();

/** Has the turn until it is let go. */
async function hold(lock: string, told = (): void => {}): Promise<{ letGo(): Promise<void> }> {
  const begun = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const held = inTurn(
    lock,
    async () => {
      begun.resolve();
      await over.promise;
      told();
    },
    { signal },
  );
  await begun.promise;
  return {
    letGo() {
      over.resolve();
      return held;
    },
  };
}

test('work with one lock file is done one after the other, with different ones at once', async () => {
  const told: string[] = [];
  const waits = Promise.withResolvers<void>();
  const a = path.join(folder, 'deep/a');
  const first = await hold(a, () => told.push('first'));
  const second = inTurn(a, async () => told.push('second'), { signal, onWait: waits.resolve });
  await waits.promise;
  await inTurn(path.join(folder, 'b'), async () => told.push('another'), { signal });
  await first.letGo();
  await second;
  assert.deepEqual(told, ['another', 'first', 'second']);
});

test('waiting can be given up', async () => {
  const lock = path.join(folder, 'c');
  const stop = new AbortController();
  const held = await hold(lock);
  await assert.rejects(
    inTurn(lock, async () => assert.fail('it had the turn'), { signal: stop.signal, onWait: () => stop.abort() }),
    { name: 'AbortError' },
  );
  await held.letGo();
});

test('a process that is killed gives its turn away', async () => {
  const lock = path.join(folder, 'd');
  const program = `import { inTurn } from ${JSON.stringify(path.join(import.meta.dirname, 'inTurn.ts'))};
await inTurn(${JSON.stringify(lock)}, () => { console.log('mine'); return new Promise((resolve) => setTimeout(resolve, 1e9)); }, { signal: new AbortController().signal });`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  const waits = Promise.withResolvers<void>();
  const mine = inTurn(lock, async () => 'mine now', { signal, onWait: waits.resolve });
  await waits.promise;
  holder.kill('SIGKILL');
  assert.equal(await mine, 'mine now');
});
