import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { createTurns } from './turns.ts';

function turnsAt({ busy = 0 } = {}) {
  const clock = { milliseconds: 0 };
  const turns = createTurns({ now: () => clock.milliseconds, busyShare: () => busy });
  const begun: string[] = [];
  const ask = (what: string): (() => void) => turns.begin(what.split(' ')[0] ?? '', () => begun.push(what));
  return { clock, begun, turns, ask };
}

test('a tenant that is alone waits for nobody', () => {
  const { clock, begun, ask } = turnsAt();
  for (const what of ['one 1', 'one 2', 'one 3', 'one 4']) ask(what);
  assert.deepEqual(begun, ['one 1', 'one 2', 'one 3', 'one 4']);
  ask('two 1');
  clock.milliseconds = 1001;
  for (const what of ['two 2', 'two 3', 'two 4']) ask(what);
  assert.deepEqual(begun.slice(4), ['two 1', 'two 2', 'two 3', 'two 4']);
});

test('beside another one a tenant has two that have just begun, and the other begins at once', () => {
  const { begun, ask } = turnsAt();
  const quiet = ask('quiet 1');
  const [first, , third] = ['loud 1', 'loud 2', 'loud 3', 'loud 4'].map(ask);
  ask('quiet 2');
  assert.deepEqual(begun, ['quiet 1', 'loud 1', 'loud 2', 'quiet 2']);
  third?.(); // who asked has gone
  first?.();
  first?.(); // a second time says nothing new
  assert.deepEqual(begun, ['quiet 1', 'loud 1', 'loud 2', 'quiet 2', 'loud 4']);
  quiet();
});

test('what takes long holds up nobody', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  const { begun, ask } = turnsAt();
  for (const what of ['quiet 1', 'loud 1', 'loud 2', 'loud 3', 'loud 4', 'loud 5']) ask(what);
  await Promise.resolve();
  mock.timers.tick(5);
  assert.deepEqual(begun, ['quiet 1', 'loud 1', 'loud 2', 'loud 3', 'loud 4']);
  await Promise.resolve();
  mock.timers.tick(5);
  assert.deepEqual(begun.slice(5), ['loud 5']);
});

test('where the loop is busy, a tenant that asks for much begins at intervals; one that asks for little does not', (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  /** In a tenth of a second in which everything is answered a millisecond after it began. */
  function begunIn(busy: number): { loud: number; quiet: number } {
    const { clock, begun, turns } = turnsAt({ busy });
    let answers: (() => void)[] = [];
    const ask = (tenant: string): void => {
      const end = turns.begin(tenant, () => {
        begun.push(tenant);
        answers.push(() => end());
      });
    };
    const pass = (milliseconds: number): void => {
      for (let passed = 0; passed < milliseconds; passed++) {
        clock.milliseconds += 1;
        mock.timers.tick(1);
        const due = answers;
        answers = [];
        for (const answer of due) answer();
      }
    };
    ask('quiet');
    for (let asked = 0; asked < 1000; asked++) ask('loud');
    pass(200); // until it has been much
    begun.length = 0;
    for (let tenth = 0; tenth < 10; tenth++) {
      ask('quiet');
      pass(10);
    }
    return {
      loud: begun.filter((tenant) => tenant === 'loud').length,
      quiet: begun.filter((tenant) => tenant === 'quiet').length,
    };
  }
  assert.deepEqual(begunIn(0.2), { loud: 200, quiet: 10 });
  assert.deepEqual(begunIn(0.9), { loud: 4, quiet: 10 });
});
