// Cells that ask a person, on a real server: over sockets, over REST, in a terminal, and where nobody is.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type CellQuestion, executeBody, questionBody } from '../src/protocol/index.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { openRawTerminal } from './kit/rawTerminal.ts';
import { cleanEnvironment, newHome, runSvc, startServer, type TestServer } from './kit/server.ts';
import { type Frame, openSocket } from './kit/socket.ts';
import { untilGiven } from './kit/until.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ env: { SVC_LOG_LEVEL: 'debug' } });
});
after(() => server[Symbol.asyncDispose]());

/** The next question of a cell that a socket hears of. */
async function asked(notebook: Pick<TestNotebook, 'socket'>, cellId: string): Promise<CellQuestion> {
  const { socket } = notebook;
  const seen = new Set(socket.frames);
  const isNew = (frame: Frame): boolean =>
    frame.type === 'cell_question' && frame.payload.cell_id === cellId && frame.payload.question !== null;
  const { question } = questionBody.parse((await socket.frame((frame) => !seen.has(frame) && isNew(frame))).payload);
  assert.ok(question);
  return question;
}

const answer = (notebook: TestNotebook, cell_id: string, { question_id }: CellQuestion, text: string | null): void =>
  notebook.socket.send('cell_answer', { cell_id, question_id, text });

describe('a cell that asks', () => {
  it('asks everybody who watches; the first answer counts, and whoever comes late is told', async () => {
    const notebook = await createTestNotebook(server, 'Asking');
    await using other = await watching(notebook);
    const id = await notebook.add('name = input("Your name? ")\nprint("Hello", name)');
    const [here, there] = [asked(notebook, id), asked(other, id)];
    const run = notebook.run(id);
    const question = await here;
    assert.deepEqual(await there, question);
    assert.deepEqual({ ...question, question_id: '' }, { question_id: '', kind: 'line', prompt: 'Your name? ' });
    assert.deepEqual((await notebook.cell(id)).question, question);
    const give = (text: string) => notebook.request('POST', `/cells/${id}/answer`, { ...question, text });
    assert.deepEqual((await give('Ann')).json, { cell_id: id, answered: true });
    const late = await give('Bob');
    assert.deepEqual(
      [late.status, late.json],
      [
        409,
        {
          detail: {
            message: 'This question is over: somebody answered it, or the cell asks no more.',
            code: 'question_over',
          },
        },
      ],
    );
    const { stdout, status } = await run;
    assert.deepEqual([status, stdout], ['ready', 'Your name? Ann\nHello Ann\n']);
    assert.deepEqual((await notebook.cell(id)).question, undefined);
    assert.equal((await notebook.cell(id)).effects?.asked, true);
  });

  it('asks again when a person presses Run, and cells below use what is stored', async () => {
    const notebook = await createTestNotebook(server, 'Again');
    const id = await notebook.add('amount = int(input())');
    const below = await notebook.add('amount * 2');
    for (const text of ['1', '2']) {
      const question = asked(notebook, id);
      const run = notebook.run(id);
      answer(notebook, id, await question, text);
      assert.equal((await run).cache_hit, false);
    }
    assert.equal((await notebook.run(below)).display?.preview, 4);
  });

  it('hands a password to the cell, and leaves it nowhere', async () => {
    const notebook = await createTestNotebook(server, 'Secret');
    const id = await notebook.add('from getpass import getpass\nlength = len(getpass("Token: "))');
    await notebook.add('length');
    const question = asked(notebook, id);
    const run = notebook.run(id);
    assert.equal((await question).kind, 'secret');
    answer(notebook, id, await question, 'planted-password-7391');
    const ran = await run;
    assert.deepEqual([ran.status, ran.stdout], ['ready', 'Token: \n']);
    const files = fs
      .readdirSync(notebook.path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('.venv'))
      .map((entry) => path.join(entry.parentPath, entry.name));
    assert.ok(files.length > 3);
    const holding = files.filter((file) => fs.readFileSync(file).includes('planted-password-7391'));
    const told = JSON.stringify([notebook.socket.frames, server.output()]);
    assert.deepEqual([holding, told.includes('planted-password-7391')], [[], false]);
  });

  it('is answered by whoever runs it over REST, though no page is open', async () => {
    const notebook = await createTestNotebook(server, 'Agent');
    const id = await notebook.add('int(input("How many? ")) + 1');
    notebook.socket.close();
    await notebook.socket.closed;
    const run = notebook.request('POST', `/cells/${id}/execute?answers=true`);
    const question = await untilGiven(async () => {
      const waited = await notebook.request('GET', `/cells/${id}/question?wait_seconds=10`);
      return questionBody.parse(waited.json).question ?? undefined;
    }, 'the cell asks');
    await notebook.request('POST', `/cells/${id}/answer`, { question_id: question.question_id, text: '41' });
    assert.equal(executeBody.parse((await run).json).display?.preview, 42);
    assert.deepEqual((await notebook.request('GET', `/cells/${id}/question`)).json, { cell_id: id, question: null });
  });

  it('tells who waits for a question over REST when none comes', async () => {
    const notebook = await createTestNotebook(server, 'Waiting');
    const id = await notebook.add('1');
    const waited = await notebook.request('GET', `/cells/${id}/question?wait_seconds=0.0501`);
    assert.deepEqual([waited.status, waited.json], [200, { cell_id: id, question: null }]);
    assert.equal((await notebook.request('GET', `/cells/${id}/question?wait_seconds=60`)).status, 422);
  });

  it('asks nobody who may only look', async () => {
    const notebook = await createTestNotebook(server, 'Viewers');
    const id = await notebook.add('input()');
    notebook.socket.close();
    await notebook.socket.closed;
    const viewer = await openSocket(server.address, `/v1/notebooks/ws/${notebook.sessionId}?role=viewer`);
    const { error } = await notebook.run(id);
    assert.match(error ?? '', /^EOFError: input\(\): nobody can answer a question of this run\./);
    viewer.close();
  });

  it('gives up when nobody answers in the time that is set', async () => {
    await using hasty = await startServer({ env: { SVC_NOTEBOOK_ANSWER_SECONDS: '0.5' } });
    const notebook = await createTestNotebook(hasty, 'Late');
    const { error } = await notebook.run(await notebook.add('input()'));
    assert.match(error ?? '', /^EOFError: input\(\): nobody answered within 0.5 seconds/);
  });
});

describe('a failure that is looked into', () => {
  it('keeps the process of the cell: frames, variables, a prompt in each frame', async () => {
    const notebook = await createTestNotebook(server, 'Failure');
    const id = await notebook.add('def part(whole, parts):\n    return whole / parts\n\nsize = 10\npart(size, 0)');
    const first = asked(notebook, id);
    notebook.socket.send('cell_execute_inspect', { cell_id: id });
    const failure = await first;
    assert.ok(failure.kind === 'debug');
    assert.deepEqual(
      [failure.reason, failure.frames.map(({ function: name, line }) => [name, line]), failure.variables],
      [
        'failure',
        [
          ['<module>', 5],
          ['part', 2],
        ],
        [
          { name: 'whole', type: 'int', value: '10' },
          { name: 'parts', type: 'int', value: '0' },
        ],
      ],
    );
    assert.equal((await notebook.cell(id)).status, 'error');
    const second = asked(notebook, id);
    answer(notebook, id, failure, 'whole + 5');
    const said = await second;
    assert.equal(said.kind === 'debug' && said.said, '15\n');

    // While it is looked into, other cells run; its own run ends it.
    const beside = await notebook.add('1 + 1');
    assert.equal((await notebook.run(beside)).status, 'ready');
    await notebook.edit(id, 'size = 10');
    assert.equal((await notebook.run(id)).status, 'ready');
    assert.equal((await notebook.cell(id)).question, undefined);
  });

  it('is kept at the first failure where that is set', async () => {
    await using keeping = await startServer({ env: { SVC_NOTEBOOK_KEEP_FAILURES: 'true' } });
    const notebook = await createTestNotebook(keeping, 'Kept');
    const page = await openSocket(keeping.address, `/v1/notebooks/ws/${notebook.sessionId}?values=keep`);
    const id = await notebook.add('size = 3\nsize / 0');
    const question = asked(notebook, id);
    page.send('cell_execute', { cell_id: id });
    const failure = await question;
    assert.deepEqual(failure.kind === 'debug' && [failure.reason, failure.variables], [
      'failure',
      [{ name: 'size', type: 'int', value: '3' }],
    ]);
    page.close();
  });
});

describe('lines that were marked', () => {
  /** Goes on from the next stop of a cell; gives where it stood. */
  async function passes(notebook: TestNotebook, cellId: string, starts = () => {}): Promise<unknown> {
    const next = asked(notebook, cellId);
    starts();
    const question = await next;
    assert.ok(question.kind === 'debug');
    const { cell_id, line } = question.frames.at(-1) ?? {};
    answer(notebook, cellId, question, 'continue');
    return [cell_id, line];
  }
  const ended = (notebook: TestNotebook, id: string) =>
    notebook.framesUntil(
      ({ type, payload }) => type === 'cell_status' && payload.cell_id === id && payload.status === 'ready',
    );

  it('stop every cell of a run that runs, and leave alone what is up to date', async () => {
    const notebook = await createTestNotebook(server, 'Marked above');
    const first = await notebook.add('n = 20\nn += 1');
    const second = await notebook.add('m = n * 2');
    const last = await notebook.add('m + 1\nm + 2');
    const breakpoints = { [first]: [2], [second]: [1] };
    const prompt = notebook.socket.frame(({ type }) => type === 'cascade_prompt');
    notebook.socket.send('cell_execute', { cell_id: last, breakpoints });
    const { plan_id } = (await prompt).payload;
    const over = ended(notebook, last);
    const cascade = () =>
      notebook.socket.send('cell_execute_cascade', {
        cell_id: last,
        plan_id,
        breakpoints: { ...breakpoints, [last]: [2] },
      });
    assert.deepEqual(await passes(notebook, first, cascade), [first, 2]);
    assert.deepEqual(await passes(notebook, second), [second, 1]);
    assert.deepEqual(await passes(notebook, last), [last, 2]);
    await over;

    // The one that is asked for runs anew for its lines; those above it are up to date and do not.
    const again = ended(notebook, second);
    assert.deepEqual(
      await passes(notebook, second, () => notebook.socket.send('cell_execute', { cell_id: second, breakpoints })),
      [second, 1],
    );
    await again;

    await notebook.edit(second, 'm = n * 3');
    const all = ended(notebook, last);
    const seen = passes(notebook, second, () => notebook.socket.send('notebook_run_all', { breakpoints }));
    assert.deepEqual(await seen, [second, 1]);
    await all;
  });

  it('in a function stop the cell below that calls it', async () => {
    const notebook = await createTestNotebook(server, 'Marked functions');
    const lib = await notebook.add('print("loaded")\n\ndef double(n):\n    # Twice.\n    return n * 2');
    const through = await notebook.add('def four(n):\n    return double(double(n))');
    const caller = await notebook.add('four(5)');
    await notebook.run(caller);
    const over = ended(notebook, caller);
    const places = [
      await passes(notebook, caller, () =>
        notebook.socket.send('cell_execute', { cell_id: caller, breakpoints: { [lib]: [4], [through]: [2] } }),
      ),
      await passes(notebook, caller),
      await passes(notebook, caller),
    ];
    assert.deepEqual(places, [
      [through, 2],
      [lib, 5],
      [lib, 5],
    ]);
    await over;
    const failing = await notebook.add('four(None)');
    const { traceback_frames } = await notebook.run(failing);
    assert.deepEqual(
      (traceback_frames as { cell_id: string; line: number }[]).map(({ cell_id, line }) => [cell_id, line]),
      [
        [failing, 1],
        [through, 2],
        [lib, 5],
      ],
    );
  });
});

describe('svc run', () => {
  it('fails politely without a terminal, asks in one, and uses what was answered from then on', async () => {
    const home = fs.realpathSync(newHome());
    const made = await runSvc(['new', 'Asked', '--format', 'json'], { home });
    const notebook: string = JSON.parse(made.stdout).notebook_dir;
    await runSvc(
      [
        'cell',
        'add',
        notebook,
        '-c',
        'from getpass import getpass\nname = input("Name? ")\nkey = len(getpass("Key? "))',
      ],
      {
        home,
      },
    );
    await runSvc(['cell', 'add', notebook, '-c', 'print(name, key)'], { home });
    const alone = await runSvc(['run', notebook], { home });
    assert.equal(alone.code, 1);
    assert.match(alone.stdout, / input\(\): nobody can answer a question of this run\. Run the cell on a page/);

    const program = fileURLToPath(new URL('../bin/svc.js', import.meta.url));
    {
      const env = cleanEnvironment(home);
      await using terminal = openRawTerminal(`sh -c '${process.execPath} ${program} run ${notebook}; echo over'`, {
        cwd: home,
        env,
      });
      await terminal.writes(/Name\? /);
      terminal.type('Ann\r');
      await terminal.writes(/Key\? /);
      terminal.type('planted-key-99\r');
      const [written] = await terminal.writes(/[\s\S]*2 ran, 0 cached, 0 failed[\s\S]*over/);
      assert.ok(!written.includes('planted-key-99'), written);
    }
    const again = await runSvc(['run', notebook, '--format', 'json'], { home });
    assert.equal(again.code, 0, again.stderr);
    const { success, cells } = JSON.parse(again.stdout);
    assert.deepEqual([success, cells.map(({ cache_hit }: { cache_hit: boolean }) => cache_hit)], [true, [true, true]]);
    fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });
});

/** Another socket on the same notebook. */
async function watching(notebook: TestNotebook) {
  const socket = await openSocket(server.address, `/v1/notebooks/ws/${notebook.sessionId}`);
  return { socket, [Symbol.asyncDispose]: async () => socket.close() };
}
