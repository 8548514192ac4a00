// What cells print, on its way to those who watch and those who come later.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';
import type { Frame } from './kit/socket.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server[Symbol.asyncDispose]());

const consoleIn = ({ payload }: Frame, cellId: string): unknown[] => {
  const cells: Record<string, unknown>[] = Object(payload).cells;
  const { console_stdout, console_stdout_length } = cells.find(({ id }) => id === cellId) ?? {};
  return [console_stdout, console_stdout_length];
};

describe('a long console', () => {
  it('is not sent again to everybody with each change of the notebook: its end is, and how long it is', async () => {
    const notebook = await createTestNotebook(server, 'Much Printed');
    const cell = await notebook.add('for n in range(100_000): print(n % 10, end="")');
    const printed = '0123456789'.repeat(10_000);
    assert.equal((await notebook.run(cell)).stdout, printed);
    const told = notebook.framesUntil(({ type }) => type === 'notebook_state');
    await notebook.request('POST', '/cells', {});
    const state = (await told).at(-1);
    assert.ok(state);
    assert.deepEqual(consoleIn(state, cell), [printed.slice(-4096), 100_000]);
    assert.ok(JSON.stringify(state).length < 20_000);

    const asked = notebook.framesUntil(({ type }) => type === 'notebook_state');
    notebook.socket.send('notebook_sync');
    const whole = (await asked).at(-1);
    assert.ok(whole);
    assert.deepEqual(consoleIn(whole, cell), [printed, undefined]);
    assert.equal((await notebook.cell(cell)).console_stdout, printed);
  });
});

describe('how much of a console is kept', () => {
  it('is a setting: its beginning and its end, and how much is missing between', async () => {
    await using small = await startServer({ env: { SVC_NOTEBOOK_CONSOLE_KB: '1' } });
    const notebook = await createTestNotebook(small, 'Little Kept');
    const cell = await notebook.add('print("a" * 1000 + "b" * 1000, end="")');
    const kept = `${'a'.repeat(512)}\n… 976 bytes left out …\n${'b'.repeat(512)}`;
    assert.equal((await notebook.run(cell)).stdout, kept);
    assert.equal((await notebook.cell(cell)).console_stdout, kept);
  });
});
