// kill -9 of the processes that cells run in, at several moments: the cell that it hits says so, and the session goes on.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';
import type { Frame } from './kit/socket.ts';
import { until } from './kit/until.ts';

let server: TestServer;
let notebook: TestNotebook;
before(async () => {
  server = await startServer();
  notebook = await createTestNotebook(server, 'Killed');
});
after(() => server[Symbol.asyncDispose]());

function childrenOf(pid: number): number[] {
  const text = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

function alive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

async function nextFrame(fits: (frame: Frame) => boolean): Promise<Frame['payload']> {
  return (await notebook.framesUntil(fits)).find(fits)?.payload ?? {};
}

/** Starts a cell that tells its process and that of its zygote, and then waits for ever. */
async function startWaiting(start: () => void): Promise<{ cell: number; zygote: number }> {
  const said = /pids (\d+) (\d+) \./;
  const told = nextFrame(({ type, payload }) => type === 'cell_console' && said.test(String(payload.text)));
  start();
  const [, cell, zygote] = said.exec(String((await told).text)) ?? [];
  return { cell: Number(cell), zygote: Number(zygote) };
}

const waiting = 'import os, time\nprint("pids", os.getpid(), os.getppid(), ".", flush=True)\ntime.sleep(600)';

/** The next cell runs as ever, and nothing of what was killed is left. */
async function goesOn(killed: readonly number[]): Promise<void> {
  const cell = await notebook.add(`40 + 2 # ${crypto.randomUUID()}`);
  assert.equal((await notebook.run(cell)).display?.preview, 42);
  // The kernel takes its time: cells that run meanwhile are the clock.
  for (let round = 0; round < 50 && killed.some(alive); round += 1) await notebook.run(cell, 'force');
  await notebook.request('DELETE', `/cells/${cell}`);
  assert.deepEqual(killed.filter(alive), []);
}

/** Resolves when the server has seen its end: until then there is a process to be buried. */
async function kill(child: number): Promise<void> {
  process.kill(child, 'SIGKILL');
  await until(() => !fs.existsSync(`/proc/${child}`), 'the process has gone');
}

async function zygoteOf(): Promise<number> {
  const cell = await notebook.add('import os; os.getppid()');
  const { display } = await notebook.run(cell, 'force');
  await notebook.request('DELETE', `/cells/${cell}`);
  return Number(display?.preview);
}

describe('while nothing runs', () => {
  it('a zygote that is killed is replaced', async () => {
    const zygote = await zygoteOf();
    const parked = childrenOf(zygote);
    await kill(zygote);
    await goesOn(parked);
  });

  it('parked processes that are killed are replaced', async () => {
    const zygote = await zygoteOf();
    const parked = childrenOf(zygote);
    for (const pid of parked) await kill(pid);
    await goesOn([]);
  });
});

describe('while a cell runs', () => {
  const victims: [name: string, choose: (pids: { cell: number; zygote: number }) => number, says: RegExp][] = [
    ['its process', ({ cell }) => cell, /SIGKILL/],
    ['its zygote', ({ zygote }) => zygote, /did not see the cell through: it/],
  ];
  for (const [name, choose, says] of victims) {
    it(`${name} is killed: the cell says so`, async () => {
      const cell = await notebook.add(waiting);
      let ran: ReturnType<TestNotebook['run']> | undefined;
      const pids = await startWaiting(() => {
        ran = notebook.run(cell, 'force');
      });
      process.kill(choose(pids), 'SIGKILL');
      const outcome = await ran;
      assert.equal(outcome?.status, 'error');
      assert.match(outcome?.error ?? '', says);
      await notebook.request('DELETE', `/cells/${cell}`);
      await goesOn([pids.cell]);
    });
  }

  it('a parked process is killed: the cell runs to its end', async () => {
    const go = `${notebook.path}/go`;
    const cell = await notebook.add(
      `${waiting.replace('time.sleep(600)', `\nwhile not os.path.exists(${JSON.stringify(go)}): time.sleep(0.01)`)}\n7`,
    );
    let ran: ReturnType<TestNotebook['run']> | undefined;
    const pids = await startWaiting(() => {
      ran = notebook.run(cell, 'force');
    });
    const parked = childrenOf(pids.zygote).filter((pid) => pid !== pids.cell);
    for (const pid of parked) process.kill(pid, 'SIGKILL');
    fs.writeFileSync(go, '');
    assert.equal((await ran)?.display?.preview, 7);
    await notebook.request('DELETE', `/cells/${cell}`);
    await goesOn([...parked, pids.cell]);
  });
});

describe('in a run over all cells', () => {
  for (const victim of ['cell', 'zygote'] as const) {
    it(`the ${victim} is killed: that cell fails, what needs it does not run, and the next run is as ever`, async () => {
      const first = await notebook.add('a = 1');
      const second = await notebook.add(`${waiting}\nb = a`);
      const third = await notebook.add('b + 1');
      const pids = await startWaiting(() => notebook.socket.send('notebook_run_all'));
      const failed = nextFrame(({ type, payload }) => type === 'cell_error' && payload.cell_id === second);
      process.kill(pids[victim], 'SIGKILL');
      assert.match(String((await failed).error), /SIGKILL/);
      // The cell has failed; a moment later the whole run is over.
      await until(
        async () => (await notebook.request('POST', `/cells/${first}/execute`)).status !== 409,
        'the notebook takes another run',
      );
      await notebook.edit(second, 'b = a');
      assert.equal((await notebook.run(third)).display?.preview, 2);
      for (const cell of [third, second, first]) await notebook.request('DELETE', `/cells/${cell}`);
      await goesOn([pids.cell]);
    });
  }
});

describe('while a prompt is open', () => {
  it('its zygote or its process is killed: the prompt says so, and another can be opened', async () => {
    const maker = await notebook.add('seen = 5');
    const cell = await notebook.add('seen + 1');
    await notebook.run(cell);
    const ask = async (type: string, more: object = {}) => {
      const answered = nextFrame((frame) => frame.type === 'inspect_result');
      notebook.socket.send(type, { cell_id: cell, ...more });
      return Object(await answered);
    };
    assert.equal((await ask('inspect_open')).ok, true);
    const pid = Number((await ask('inspect_eval', { expr: '__import__("os").getpid()' })).result);
    const zygote = Number((await ask('inspect_eval', { expr: '__import__("os").getppid()' })).result);
    process.kill(zygote, 'SIGKILL');
    assert.match((await ask('inspect_eval', { expr: 'seen' })).error, /^The prompt is gone: .*Open it again\.$/);
    assert.equal((await ask('inspect_open')).ok, true);
    assert.equal((await ask('inspect_eval', { expr: 'seen' })).result, '5');
    const second = Number((await ask('inspect_eval', { expr: '__import__("os").getpid()' })).result);
    process.kill(second, 'SIGKILL');
    assert.match((await ask('inspect_eval', { expr: 'seen' })).error, /^The prompt is gone: .*Open it again\.$/);
    await ask('inspect_close');
    for (const id of [cell, maker]) await notebook.request('DELETE', `/cells/${id}`);
    await goesOn([pid, second]);
  });
});
