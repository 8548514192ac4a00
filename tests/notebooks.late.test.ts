// Functions that need what only a cell below them makes: whoever calls them brings it.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server[Symbol.asyncDispose]());

describe('a function that needs what a cell below it makes', () => {
  it('finds it where it is called, through other functions too, and follows its edits', async () => {
    const notebook = await createTestNotebook(server, 'Late');
    await notebook.add('def step(n):\n    return n * rate');
    await notebook.add('def train(n):\n    return step(n) + offset');
    const rate = await notebook.add('rate = 3');
    const caller = await notebook.add('offset = 1\ntrain(5)');
    await notebook.run(caller);
    const shown = async (): Promise<unknown> => (await notebook.cell(caller)).display_output?.preview;
    assert.deepEqual([await shown(), await notebook.statuses()], [16, 'ready ready ready ready']);

    await notebook.edit(rate, 'rate = 4');
    assert.equal(await notebook.statuses(), 'ready ready idle stale');
    await notebook.run(caller);
    assert.equal(await shown(), 21);
  });

  it('may need a function that needs it in turn', async () => {
    const notebook = await createTestNotebook(server, 'Even and odd');
    await notebook.add('def is_even(n):\n    return n == 0 or is_odd(n - 1)');
    await notebook.add('def is_odd(n):\n    return n != 0 and is_even(n - 1)');
    const caller = await notebook.add('[is_even(10), is_odd(10)]');
    await notebook.run(caller);
    assert.deepEqual((await notebook.cell(caller)).display_output?.preview, [true, false]);
  });

  it('as a method asks the cells that have an instance', async () => {
    const notebook = await createTestNotebook(server, 'Instances');
    await notebook.add('class Shop:\n    def price(self, n):\n        return n * tax');
    await notebook.add('shop = Shop()');
    await notebook.add('tax = 2');
    const caller = await notebook.add('shop.price(4)');
    await notebook.run(caller);
    assert.equal((await notebook.cell(caller)).display_output?.preview, 8);
  });

  it('asks the cells that have what it was given to', async () => {
    const notebook = await createTestNotebook(server, 'Given away');
    await notebook.add('class Solver:\n    def __init__(self, step):\n        self.step = step');
    await notebook.add('def update(n):\n    return n * torque(n)');
    await notebook.add('def torque(n):\n    return n + power');
    await notebook.add('power = 2');
    const direct = await notebook.add('update(3)');
    await notebook.add('solver = Solver(update)');
    const caller = await notebook.add('solver.step(3)');
    for (const cell of [direct, caller]) {
      await notebook.run(cell);
      assert.equal((await notebook.cell(cell)).display_output?.preview, 15);
    }
  });

  it('and changes in place what is around it, changes what its caller has', async () => {
    const notebook = await createTestNotebook(server, 'Filled');
    await notebook.add('seen = []\nregistry = {}\n\ndef note(line):\n    seen.append(line)');
    await notebook.add('def register(function):\n    registry[function.__name__] = 2\n    return function');
    await notebook.add('seen = seen\nnote("a")\nnote("b")');
    await notebook.add('registry = registry\n\n@register\ndef hello():\n    return 1');
    const reader = await notebook.add('[seen, registry]');
    await notebook.run(reader);
    assert.deepEqual((await notebook.cell(reader)).display_output?.preview, [['a', 'b'], { hello: 2 }]);
  });

  it('and binds a global, binds it where it is called', async () => {
    const notebook = await createTestNotebook(server, 'Global');
    await notebook.add('total = 0\n\ndef add(amount):\n    global total\n    total += amount\n    return total');
    await notebook.add('total = total\nadd(5)\ntotal += 100\nadd(6)');
    const reader = await notebook.add('[total, add(1), total]');
    await notebook.run(reader);
    assert.deepEqual((await notebook.cell(reader)).display_output?.preview, [111, 112, 112]);
  });

  it('and binds a global keeps it while it calls itself and others of its cell', async () => {
    const notebook = await createTestNotebook(server, 'Recursion');
    await notebook.add(
      'calls = noted = 0\n\ndef note():\n    global noted, calls\n    noted += 1\n    calls += 10\n\ndef down(n):\n    global calls\n    calls += 1\n    note()\n    if n:\n        down(n - 1)',
    );
    const caller = await notebook.add('calls, noted = calls, noted\ndown(3)\n[calls, noted]');
    await notebook.run(caller);
    assert.deepEqual((await notebook.cell(caller)).display_output?.preview, [44, 4]);
  });

  it('and that no cell makes fails as it did, with the reason', async () => {
    const notebook = await createTestNotebook(server, 'Nobody');
    const maker = await notebook.add('def f():\n    return nothing_like_it');
    const caller = await notebook.add('f()');
    await notebook.run(caller);
    assert.match(
      `${(await notebook.cell(maker)).error}`,
      /'f' needs 'nothing_like_it', which no single cell above makes/,
    );
  });
});
