import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createGrace } from './grace.ts';

/** A notebook whose runs are begun by hand, and what became of it once nobody had watched it for a minute. */
function watched(context: TestContext) {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  let [run, count]: [string | null, number] = [null, 0];
  const log: string[] = [];
  const grace = createGrace({
    active: () => (run === null ? null : count),
    stop: () => void log.push(`stopped ${run}`),
    closePrompts: () => void log.push('prompts closed'),
  });
  return {
    grace,
    log,
    begin: (requested: string) => {
      run = requested;
      count += 1;
    },
    pass: (milliseconds: number) => context.mock.timers.tick(milliseconds),
  };
}

describe('a notebook that nobody watches any more', () => {
  it('has what a socket started cancelled after a minute, and its prompts closed', (context) => {
    const { grace, log, begin, pass } = watched(context);
    begin('a');
    grace.started();
    grace.socketsChanged(0);
    pass(59_999);
    assert.deepEqual(log, []);
    pass(1);
    assert.deepEqual(log, ['stopped a', 'prompts closed']);
  });

  it('keeps a run that was asked for over REST, before or since, even of the same cell', (context) => {
    const { grace, log, begin, pass } = watched(context);
    begin('a');
    grace.socketsChanged(0);
    pass(60_000);
    begin('b');
    grace.started();
    grace.socketsChanged(0);
    begin('b');
    pass(60_000);
    assert.deepEqual(log, ['prompts closed', 'prompts closed']);
  });

  it('goes on longer where nobody has left: a line that is cut closes at neither end', (context) => {
    const { grace, log, begin, pass } = watched(context);
    begin('a');
    grace.started();
    grace.socketsChanged(0, true);
    pass(899_999);
    assert.deepEqual(log, []);
    pass(1);
    assert.deepEqual(log, ['stopped a', 'prompts closed']);
  });

  it('goes on as it was when somebody is back in time', (context) => {
    const { grace, log, begin, pass } = watched(context);
    begin('a');
    grace.started();
    grace.socketsChanged(0);
    pass(30_000);
    grace.socketsChanged(1);
    pass(60_000);
    assert.deepEqual(log, []);
  });
});
