// An editor takes over a cell that stopped: the real debugpy, spoken to in the Debug Adapter Protocol.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Answer, Ask, Question } from '../src/runtimes/index.ts';
import { startCells } from './kit/cells.ts';
import { attachEditor, type Editor } from './kit/debugAdapter.ts';
import { bareInterpreter, jupyterEnvironment } from './kit/notebookEnvironment.ts';
import { findProgram } from './kit/parts.ts';

const run = promisify(execFile);

type Stopped = Extract<Question, { kind: 'debug' }>;

/** Asks for an editor at the first question; at the second it says where, and waits until the question is over. */
function handingOver(onAddress: (address: string) => void): { ask: Ask; asked: Stopped[] } {
  const asked: Stopped[] = [];
  return {
    asked,
    ask(question, over) {
      assert.ok(question.kind === 'debug');
      asked.push(question);
      const { promise, resolve } = Promise.withResolvers<Answer>();
      over.addEventListener('abort', () => resolve({ unanswered: 'cancelled' }));
      const address = question.editor?.address ?? null;
      if (address === null) resolve({ text: 'attach' });
      else onAddress(address);
      return promise;
    },
  };
}

async function placeOf(editor: Editor, threadId: unknown): Promise<{ frameId: number; line: number; source: object }> {
  const { stackFrames } = await editor.request('stackTrace', { threadId });
  const [frame] = stackFrames as { id: number; line: number; source: object }[];
  assert.ok(frame);
  return { frameId: frame.id, line: frame.line, source: frame.source };
}

const source = `def double(n):
    result = n * 2
    return result

total = 0
for n in [3, 4]:
    total += double(n)`;

test('an editor goes on where the cell stopped: it steps, sets breakpoints, evaluates, changes, and the cell ends', async (t) => {
  const interpreter = await jupyterEnvironment(t);
  if (interpreter === undefined) return;
  await using cells = startCells(interpreter);
  const address = Promise.withResolvers<string>();
  const { ask, asked } = handingOver(address.resolve);
  const running = cells.run(source, { ask, stopsAt: [6], attachesEditors: true, timeoutSeconds: 60, cellId: 'edited' });
  using editor = await attachEditor(await address.promise);
  const { threadId } = await editor.event('stopped');
  const first = await placeOf(editor, threadId);
  assert.equal(first.line, 6);

  const text = await editor.request('source', {
    source: first.source,
    sourceReference: (first.source as { sourceReference: number }).sourceReference,
  });
  assert.equal(text.content, source);

  const { breakpoints } = await editor.request('setBreakpoints', { source: first.source, breakpoints: [{ line: 3 }] });
  assert.equal((breakpoints as { verified: boolean }[])[0]?.verified, true);
  await editor.request('continue', { threadId });
  await editor.event('stopped');
  const second = await placeOf(editor, threadId);
  assert.equal(second.line, 3);
  const { result } = await editor.request('evaluate', {
    frameId: second.frameId,
    expression: 'result * 10',
    context: 'repl',
  });
  assert.equal(result, '60');
  for (const command of ['stepOut', 'next']) {
    await editor.request(command, { threadId });
    await editor.event('stopped');
  }
  await editor.request('setBreakpoints', { source: first.source, breakpoints: [] });
  const third = await placeOf(editor, threadId);
  await editor.request('evaluate', { frameId: third.frameId, expression: 'total = 1000', context: 'repl' });
  await editor.request('continue', { threadId });

  const run = await running;
  assert.deepEqual([run.outcome, run.variables.total?.preview, run.stderr], ['success', 1008, '']);
  assert.deepEqual(
    asked.map(({ editor, said }) => [
      editor?.address === null ? 'offered' : 'listens',
      said.includes('An editor may attach'),
    ]),
    [
      ['offered', false],
      ['listens', true],
    ],
  );
  await editor.closed;
});

test('an editor of another account of the machine is not let in, the own one after it is', async (t) => {
  if (process.getuid?.() !== 0 || findProgram('setpriv', ['/usr/bin']) === undefined)
    return t.skip('Only root may begin programs as somebody else.');
  const interpreter = await jupyterEnvironment(t);
  if (interpreter === undefined) return;
  await using cells = startCells(interpreter);
  const address = Promise.withResolvers<string>();
  const { ask } = handingOver(address.resolve);
  const running = cells.run('x = 1\ny = 2', {
    ask,
    stopsAt: [2],
    attachesEditors: true,
    timeoutSeconds: 60,
    cellId: 'own',
  });
  const [host = '', port = ''] = (await address.promise).split(':');
  const stranger = `import socket, sys
door = socket.create_connection((sys.argv[1], int(sys.argv[2])), 20)
try:
    text = b'{"seq": 1, "type": "request", "command": "initialize", "arguments": {"adapterID": "x"}}'
    door.sendall(b"Content-Length: %d\\r\\n\\r\\n%b" % (len(text), text))
    print(door.recv(100))
except ConnectionError:
    print(b"")`;
  for (const account of ['65534', '12345']) {
    const as = [
      '--reuid',
      account,
      '--regid',
      account,
      '--clear-groups',
      '/usr/bin/python3',
      '-c',
      stranger,
      host,
      port,
    ];
    assert.equal((await run('setpriv', as, { timeout: 30_000 })).stdout, "b''\n");
  }
  using editor = await attachEditor(`${host}:${port}`);
  const { threadId } = await editor.event('stopped');
  await editor.request('continue', { threadId });
  assert.equal((await running).outcome, 'success');
});

test('while it waits for an editor, the prompt answers as ever; the cell ends without one', async (t) => {
  const interpreter = await jupyterEnvironment(t);
  if (interpreter === undefined) return;
  await using cells = startCells(interpreter);
  const commands = ['attach', 'x + 1', 'continue'];
  const said: string[] = [];
  const ask: Ask = async (question) => {
    assert.ok(question.kind === 'debug');
    said.push(question.said.replace(/\d+ \(/, 'PORT ('));
    return { text: commands.shift() ?? 'quit' };
  };
  const run = await cells.run('x = 4\nbreakpoint()\ny = x', { ask, attachesEditors: true });
  assert.deepEqual([run.outcome, run.variables.y?.preview], ['success', 4]);
  assert.deepEqual(said.slice(1), ['An editor may attach at 127.0.0.1:PORT (debugpy).\n', '5\n']);
});

test('no editor is offered where it is not allowed, or where debugpy is not installed', async (t) => {
  const interpreter = await jupyterEnvironment(t);
  if (interpreter === undefined) return;
  for (const [where, attachesEditors] of [
    [interpreter, false],
    [await bareInterpreter(), true],
  ] as const) {
    await using cells = startCells(where);
    const told: unknown[] = [];
    const ask: Ask = async (question) => {
      assert.ok(question.kind === 'debug');
      told.push([question.editor, /An editor can attach at a breakpoint/.test(question.said)]);
      return { text: told.length === 1 ? 'attach' : 'continue' };
    };
    await cells.run('breakpoint()\nx = 1', { ask, attachesEditors });
    assert.deepEqual(told, [
      [null, false],
      [null, true],
    ]);
  }
});
