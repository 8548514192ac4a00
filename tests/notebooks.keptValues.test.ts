// Whoever writes cells reads next what they have just made. A socket can ask that values are kept for that, though nobody
// reads them yet.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestNotebook } from './kit/notebook.ts';
import { startServer } from './kit/server.ts';
import { openSocket } from './kit/socket.ts';

const made = `
import fractions, json
numbers = [1, 2, 3]
half = fractions.Fraction(1, 2)
squares = (number ** 2 for number in numbers)
def double(x):
    return 2 * x
`;

describe('values that nobody reads yet', () => {
  it('are kept where a socket asks for it, and their cell need not run again', async () => {
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    const kept = await openSocket(server.address, `/v1/notebooks/ws/${notebook.sessionId}?values=keep`);
    const maker = await notebook.add(made);
    const ends = new Set(['cell_output', 'cell_error', 'cascade_prompt']);
    const run = async (cellId: string): Promise<string> => {
      kept.send('cell_execute', { cell_id: cellId });
      return (await kept.frame(({ type, payload }) => ends.has(type) && payload.cell_id === cellId)).type;
    };

    assert.equal(await run(maker), 'cell_output');
    assert.deepEqual(Object.keys((await notebook.cell(maker)).artifact_uris).sort(), [
      'double',
      'fractions',
      'half',
      'json',
      'numbers',
    ]);
    const reader = await notebook.add('[half, json.dumps(numbers), fractions.Fraction(1, 3)]');
    assert.equal((await notebook.cell(maker)).status, 'ready');
    assert.equal(await run(reader), 'cell_output');
    assert.equal((await notebook.cell(maker)).status, 'ready');

    const caller = await notebook.add('double(numbers[0])');
    assert.equal((await notebook.cell(maker)).status, 'ready');
    assert.equal(await run(caller), 'cell_output');
    kept.close();
  });

  it('functions and classes among them, with the values that they read', async () => {
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    const kept = await openSocket(server.address, `/v1/notebooks/ws/${notebook.sessionId}?values=keep`);
    const run = async (cellId: string): Promise<unknown> => {
      const ended = kept.frame(
        ({ type, payload }) => /^cell_(output|error)$|^cascade_prompt$/.test(type) && payload.cell_id === cellId,
      );
      kept.send('cell_execute', { cell_id: cellId });
      return Object((await ended).payload.display).preview;
    };
    const definitions = await notebook.add(
      'import math\nrate = 3\nclass Circle:\n    def __init__(self, r):\n        self.r = r\n    def area(self):\n        return math.floor(math.pi * self.r ** 2)\ndef scaled(x):\n    return rate * x',
    );
    await run(definitions);
    const reader = await notebook.add('scaled(Circle(2).area())');
    assert.equal(await notebook.statuses(), 'ready idle');
    assert.equal(await run(reader), 36);
    kept.close();
  });

  it('are not kept otherwise', async () => {
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    const maker = await notebook.add('numbers = [1, 2, 3]');
    const ended = notebook.framesUntil(({ type }) => type === 'cell_output');
    notebook.socket.send('cell_execute', { cell_id: maker });
    await ended;
    assert.deepEqual((await notebook.cell(maker)).artifact_uris, {});
  });
});
