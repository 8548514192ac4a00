// Cells that ask a person: `input()`, `getpass()`, `breakpoint()`, and the process of a failure that stays to be looked into.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Answer, Ask, KeptFailure, Question } from '../src/runtimes/index.ts';
import { type Cells, startCells } from './kit/cells.ts';
import { bareInterpreter } from './kit/notebookEnvironment.ts';

let cells: Cells;
before(async () => {
  cells = startCells(await bareInterpreter());
});
after(() => cells[Symbol.asyncDispose]());

/** Answers one after the other, and remembers what was asked. */
function answering(...answers: (string | Answer)[]): { ask: Ask; asked: Question[] } {
  const asked: Question[] = [];
  return {
    asked,
    async ask(question) {
      asked.push(question);
      const answer = answers[asked.length - 1] ?? { unanswered: 'cancelled' };
      return typeof answer === 'string' ? { text: answer } : answer;
    },
  };
}

test('input() gives what somebody answered, and the console shows both as a terminal would', async () => {
  const { ask, asked } = answering('Ann', '41');
  const run = await cells.run(`name = input('Name? ')\nage = int(input('Age? ')) + 1\nprint(name, age)`, { ask });
  assert.deepEqual(asked, [
    { kind: 'line', prompt: 'Name? ' },
    { kind: 'line', prompt: 'Age? ' },
  ]);
  assert.deepEqual(
    [run.outcome, run.stdout, run.variables.name?.preview, run.variables.age?.preview, run.effects?.asked],
    ['success', 'Name? Ann\nAge? 41\nAnn 42\n', 'Ann', 42, true],
  );
});

test('a password is asked for as a secret, and is not printed', async () => {
  const { ask, asked } = answering('hunter2');
  const run = await cells.run(`import getpass\nlength = len(getpass.getpass('Key: '))`, { ask });
  assert.deepEqual(asked, [{ kind: 'secret', prompt: 'Key: ' }]);
  assert.deepEqual([run.stdout, run.stderr, run.variables.length?.preview], ['Key: \n', '', 7]);
});

test('without anybody to answer, input() fails at once and says what to do', async () => {
  const { error } = await cells.run('input("Name? ")');
  assert.equal(error?.error_type, 'EOFError');
  assert.equal(
    error?.message,
    "input(): nobody can answer a question of this run. Run the cell on a page or by `svc run` in a terminal, or write the value into the cell or the notebook's variables.",
  );
});

test('a question that nobody answers in time, and one that is cancelled, end the call', async () => {
  const late = await cells.run('input()', { ask: answering({ unanswered: 'timeout', seconds: 5 }).ask });
  assert.match(late.error?.message ?? '', /nobody answered within 5 seconds \(SVC_NOTEBOOK_ANSWER_SECONDS\)/);
  const { ask } = answering({ unanswered: 'cancelled' });
  const caught = await cells.run(`try:\n    input()\nexcept KeyboardInterrupt as stop:\n    why = str(stop)`, { ask });
  assert.equal(caught.variables.why?.preview, 'The question of input() was cancelled');
});

test('the time limit of a cell stands still while somebody thinks', async () => {
  const ask: Ask = async () => {
    await new Promise((resolve) => setTimeout(resolve, 2500));
    return { text: 'at last' };
  };
  const run = await cells.run('x = input()', { ask, timeoutSeconds: 2, timeoutLever: 'the test' });
  assert.deepEqual([run.outcome, run.variables.x?.preview], ['success', 'at last']);
});

test('a cell that waits for an answer can be cancelled', async () => {
  const stop = new AbortController();
  const gone = Promise.withResolvers<Answer>();
  const ask: Ask = (_, signal) => {
    signal.addEventListener('abort', () => gone.resolve({ unanswered: 'cancelled' }));
    stop.abort();
    return gone.promise;
  };
  assert.equal((await cells.run('input()', { ask, signal: stop.signal })).outcome, 'cancelled');
  assert.deepEqual(await gone.promise, { unanswered: 'cancelled' });
});

test('a process that the cell forked asks nobody', async () => {
  const { ask, asked } = answering('never');
  const source = `import os, sys
r, w = os.pipe()
if os.fork() == 0:
    try:
        input()
    except EOFError:
        os.write(w, b'nobody')
    os._exit(0)
heard = os.read(r, 10).decode()`;
  const run = await cells.run(source, { ask });
  assert.deepEqual([run.variables.heard?.preview, asked], ['nobody', []]);
});

const program = `def double(n):
    result = n * 2
    return result

x = 4
breakpoint()
y = double(x)
z = y + 1`;

test('breakpoint() opens a prompt with frames and variables: look, change, step, go on', async () => {
  const { ask, asked } = answering('x', '!x = 10', 'next', 'continue');
  const run = await cells.run(program, { ask, cellId: 'stopped' });
  assert.deepEqual([run.outcome, run.variables.y?.preview, run.stdout], ['success', 20, '']);
  const [first, second, , fourth] = asked;
  assert.ok(first?.kind === 'debug' && second?.kind === 'debug' && fourth?.kind === 'debug');
  assert.equal(first.reason, 'breakpoint');
  assert.deepEqual(
    first.frames.map(({ cell_id, function: name }) => [cell_id, name]),
    [['stopped', '<module>']],
  );
  assert.deepEqual(
    first.variables.filter(({ name }) => name === 'x'),
    [{ name: 'x', type: 'int', value: '4' }],
  );
  assert.equal(second.said, '4\n');
  assert.deepEqual(
    fourth.variables.filter(({ name }) => name === 'x'),
    [{ name: 'x', type: 'int', value: '10' }],
  );
});

test('lines that somebody marked are stopped at, in functions too; one that does nothing means the next that does', async () => {
  const source = `def double(n):
    # Twice is enough.
    return n * 2

total = 0
for n in [3, 4]:
    total += double(n)`;
  const { ask, asked } = answering('continue', 'continue', '!total = 100', 'continue');
  const run = await cells.run(source, { ask, stopsAt: [2, 7], cellId: 'marked' });
  assert.deepEqual(
    asked.map((question) => {
      assert.ok(question.kind === 'debug');
      const { line, function: name } = question.frames.at(-1) ?? {};
      return [line, name, question.variables.find((one) => one.name === 'total')?.value];
    }),
    [
      [7, '<module>', '0'],
      [3, 'double', undefined],
      [7, '<module>', '6'],
      [7, '<module>', '100'],
      [3, 'double', undefined],
    ],
  );
  assert.deepEqual([run.outcome, run.error?.message], ['error', 'The cell was ended at its breakpoint.']);
});

test('lines that somebody marked in the functions of a cell above are stopped at, and errors in them name that cell', async () => {
  const source = `print("not lent")

def share(whole, parts):
    """What each gets."""
    # Nobody gets nothing.
    return whole / parts
`;
  const module = 'def share(whole, parts):\n    """What each gets."""\n    return whole / parts';
  const slice = {
    moduleName: 'cell_lib',
    kind: 'function',
    source: module,
    provenanceHash: null,
    injected: {},
  } as const;
  const lib = await cells.run(source, { cellId: 'lib', wanted: ['share'], moduleSlices: { share: slice } });
  const { ask, asked } = answering('continue', 'continue');
  const call = { ask, inputs: { share: lib.input('share') }, cellId: 'caller' };
  const run = await cells.run('share(6, 2)\nshare(6, 0)', { ...call, lenders: { lib: { source, stopsAt: [1, 4] } } });
  const caller = (line: number, text: string) => ({ cell_id: 'caller', line, function: '<module>', text });
  const inside = { cell_id: 'lib', line: 6, function: 'share', text: 'return whole / parts' };
  assert.deepEqual(
    asked.map((question) => question.kind === 'debug' && question.frames.map(({ at, ...frame }) => frame)),
    [
      [caller(1, 'share(6, 2)'), inside],
      [caller(2, 'share(6, 0)'), inside],
    ],
  );
  assert.deepEqual(run.error?.traceback, [caller(2, 'share(6, 0)'), inside]);
  assert.match(run.error?.text ?? '', /File "<cell lib>", line 6, in share\n {4}return whole \/ parts\n/);

  // The cell is another by now: what runs is shown as it is.
  const changed = { lib: { source: source.replace('/', '//'), stopsAt: [6] } };
  const later = await cells.run('share(6, 0)', { ...call, lenders: changed });
  assert.deepEqual(later.error?.traceback.at(-1), {
    cell_id: null,
    line: 3,
    function: 'share',
    text: 'return whole / parts',
    file: '<module cell_lib>',
  });
  assert.equal(asked.length, 2);
});

test('a marked line that the run does not come to changes nothing, and asks nobody', async () => {
  const { ask, asked } = answering();
  const run = await cells.run('x = 1\nif x > 1:\n    x = 5\ny = x', { ask, stopsAt: [3, 99] });
  assert.deepEqual([run.outcome, run.variables.y?.preview, run.effects?.asked, asked], ['success', 1, false, []]);
});

test('without anybody to answer, marked lines are passed', async () => {
  const run = await cells.run('x = 1\ny = x + 1', { stopsAt: [2] });
  assert.deepEqual([run.outcome, run.variables.y?.preview, run.stderr], ['success', 2, '']);
});

test('after a question that nobody answered in time, no marked line is stopped at again', async () => {
  const { ask, asked } = answering({ unanswered: 'timeout', seconds: 5 });
  const run = await cells.run('total = 0\nfor n in range(9):\n    total += n', { ask, stopsAt: [3] });
  assert.deepEqual([run.outcome, run.variables.total?.preview, asked.length], ['success', 36, 1]);
  assert.match(run.stderr, /nobody answered within 5 seconds .*, so the cell goes on\./);
});

test('without anybody to answer, breakpoint() goes on and says so', async () => {
  const run = await cells.run(program);
  assert.deepEqual(
    [run.outcome, run.variables.z?.preview, run.stderr],
    ['success', 9, 'breakpoint() at line 6: nobody watches this run, so it goes on.\n'],
  );
});

test('quitting at a breakpoint ends the cell', async () => {
  const run = await cells.run(program, { ask: answering('quit').ask });
  assert.deepEqual([run.outcome, run.error?.message], ['error', 'The cell was ended at its breakpoint.']);
});

const failing = `def share(total, parts):
    return total / parts

amount = 12
share(amount, 0)`;

test('the process of a failure stays: its frames and variables can be looked into after its run is over', async () => {
  const commands = ['total + 1', 'frame 0', 'amount', 'quit'];
  const asked: Question[] = [];
  const done = Promise.withResolvers<void>();
  let kept: KeptFailure | undefined;
  const ask: Ask = async (question) => {
    asked.push(question);
    const text = commands[asked.length - 1] ?? 'quit';
    if (text === 'quit') done.resolve();
    return { text };
  };
  const keptFailure = {
    mostBytes: 2 ** 30,
    take(failure: KeptFailure) {
      kept = failure;
    },
  };
  const run = await cells.run(failing, { ask, keptFailure, cellId: 'failed' });
  assert.deepEqual([run.outcome, run.error?.error_type], ['error', 'ZeroDivisionError']);
  await done.promise;
  await kept?.close();
  const told = asked.map((question) => {
    assert.ok(question.kind === 'debug');
    const { reason, at, frames, variables } = question;
    return [reason, frames.find((frame) => frame.at === at)?.function, variables.map(({ name }) => name)];
  });
  assert.deepEqual(told, [
    ['failure', 'share', ['total', 'parts']],
    ['failure', 'share', ['total', 'parts']],
    ['failure', '<module>', ['share', 'amount']],
    ['failure', '<module>', ['share', 'amount']],
  ]);
  assert.deepEqual(
    asked.flatMap((question) => (question.kind === 'debug' ? [question.said] : [])).filter((said) => /^\d/.test(said)),
    ['13\n', '12\n'],
  );
});

test('a failure whose process takes too much memory is not kept, and says so', async () => {
  const keptFailure = { mostBytes: 2 ** 20, take: () => assert.fail('it was kept') };
  const run = await cells.run(failing, { ask: answering().ask, keptFailure });
  assert.match(run.stderr, /takes \d+ MiB and was not kept \(SVC_NOTEBOOK_KEEP_FAILURE_MEMORY_MB: 1\)/);
});
