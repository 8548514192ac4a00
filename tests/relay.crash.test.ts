// kill -9 of a relay, or of the worker behind it, while a cell runs there: the cell ends with its result or says why not, the
// next one runs, and nothing of the first is left.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createTestNotebook } from './kit/notebook.ts';
import { freePort } from './kit/ports.ts';
import { isSleeping } from './kit/processes.ts';
import { createRandom } from './kit/random.ts';
import { killProcess, startRelayProgram } from './kit/relay.ts';
import { newHome, startServer } from './kit/server.ts';
import { until } from './kit/until.ts';
import { startWorker, type TestWorker } from './kit/worker.ts';

const rounds = Number(process.env.SVC_TEST_CRASHES ?? 4);

it('a relay or a worker behind it that is killed', { timeout: 600_000 + rounds * 60_000 }, async (t) => {
  const random = createRandom((line) => t.diagnostic(line));
  const port = await freePort();
  const home = newHome();
  const behind = `http://127.0.0.1:${port}/w/lab`;
  const dial = (): Promise<TestWorker> =>
    startWorker({ env: { SVC_WORKER_ALLOW_LOCAL_HOSTS: '1' }, args: ['--connect', behind.replace('http', 'ws')] });
  const health = async (): Promise<string> => {
    const answer = await fetch(`${behind}/health`).catch(() => undefined);
    return answer?.status === 200 ? answer.text() : '';
  };
  /** Resolves when the worker is there and runs nothing. */
  const idle = async (): Promise<void> => {
    await until(async () => (await health()).includes('"active_executions":0'), 'the worker is there and runs nothing');
  };
  let relay = await startRelayProgram(port, home);
  let worker = await dial();
  await using server = await startServer({ home });
  const notebook = await createTestNotebook(server, 'Relayed');
  const specOf = (transport: string) => {
    const config = { url: `${behind}/v1/execute`, transport };
    return { name: transport, backend: 'executor', config };
  };
  await notebook.request('PUT', '/workers', { workers: [specOf('direct'), specOf('signed')] });
  try {
    for (let round = 0; round < rounds; round++) {
      const victim = random.pick(['relay', 'worker']);
      const transport = random.pick(['direct', 'signed']);
      const after = random.below(1500);
      t.diagnostic(`round ${round}: the ${victim} after ${after} ms, ${transport}`);
      await idle();
      const marker = `8765.${random.seed}${round}`;
      const cell = await notebook.add(`# @worker ${transport}
import subprocess, time
subprocess.Popen(["sleep", "${marker}"])
time.sleep(0.7)
r${round} = ${round}
r${round}`);
      const running = notebook.run(cell);
      await pause(after);
      if (victim === 'relay') {
        await killProcess(relay);
        relay = await startRelayProgram(port, home);
      } else {
        await killProcess(worker.process);
        worker = await dial();
      }
      const { status, error, remote_error_code, display } = await running;
      if (status === 'ready') assert.equal(display?.preview, round);
      else {
        assert.match(String(remote_error_code), /^(?!TIMEOUT)[A-Z_]+$/);
        assert.match(String(error), /The worker (direct|signed) \S/);
      }
      await idle();
      await until(() => !isSleeping(marker), 'the cell has ended');
      assert.equal((await notebook.run(cell)).display?.preview, round);
    }
  } finally {
    await worker[Symbol.asyncDispose]();
    await killProcess(relay);
    await server.stop();
    fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
});
