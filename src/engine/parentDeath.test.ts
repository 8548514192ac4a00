// A server that is killed leaves no Python process behind. The process holds a FIFO open: its end is an event.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const parent = `
  import { observedEngine } from ${JSON.stringify(new URL('./testing.ts', import.meta.url).href)};
  const engine = observedEngine();
  const [path, spin] = process.argv.slice(1);
  await engine.ask('hold', { path, spin: spin === 'spin' }, { timeoutMs: 600_000 });
`;

for (const what of ['idle', 'spin']) {
  test(`a Python process ends by itself when its parent is killed (${what})`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-engine-'));
    const fifo = join(folder, 'held');
    execFileSync('mkfifo', [fifo]);
    const server = spawn(process.execPath, ['--input-type=module', '--eval', parent, fifo, what], { stdio: 'inherit' });
    const held = createReadStream(fifo, 'utf8');
    const [pid] = await once(held, 'data');
    process.kill(Number(pid), 0);

    const bothGone = Promise.all([once(server, 'exit'), once(held, 'end')]);
    server.kill('SIGKILL');
    await bothGone;

    assert.equal(server.signalCode, 'SIGKILL');
    await rm(folder, { recursive: true });
  });
}
