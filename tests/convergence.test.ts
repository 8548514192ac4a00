// Two clients at once, doing what comes to mind: edits, runs, cancels, from a printed seed. In the end both see the same,
// nobody was dropped, and nothing is left running.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { createTestNotebook } from './kit/notebook.ts';
import { createRandom, type RandomSource } from './kit/random.ts';
import { startServer } from './kit/server.ts';
import { openSocket, type TestSocket } from './kit/socket.ts';
import { until as untilIt } from './kit/until.ts';

/** Seconds of traffic; the whole minute is worth it when sessions or runs were touched. */
const seconds = Number(process.env.SVC_TEST_TRAFFIC_SECONDS ?? 8);

const sources = (random: RandomSource, index: number): string =>
  random.pick([
    `v${index} = ${random.below(3)}`,
    `v${index} = v${Math.max(0, index - 1)} + 1`,
    `print("p" * ${random.below(5000)})\nv${index} = [v${Math.max(0, index - 2)}]`,
    `import time\ntime.sleep(${random.next() / 5})\nv${index} = ${random.below(2)}`,
    `v${index} = 1 / ${random.below(2)}`,
    `def v${index}(x): return x`,
    'this is not python (',
  ]);

describe('two clients', () => {
  it('end with equal state whatever they did', { timeout: (seconds + 60) * 1000 }, async (t) => {
    const random = createRandom((line) => t.diagnostic(line));
    await using server = await startServer({ env: { SVC_NOTEBOOK_CELL_LOCK_SECONDS: '0' } });
    const notebook = await createTestNotebook(server, 'Traffic');
    const cells: string[] = [];
    for (let index = 0; index < 8; index++) cells.push(await notebook.add(`v${index} = ${index}`));
    const clients: TestSocket[] = [
      notebook.socket,
      await openSocket(server.address, `/v1/notebooks/ws/${notebook.sessionId}`),
    ];
    const until = performance.now() + seconds * 1000;
    let sent = 0;

    async function act(client: TestSocket): Promise<void> {
      const index = random.below(cells.length);
      const cell_id = cells[index] ?? '';
      const what = random.below(10);
      if (what < 4)
        client.send('cell_source_update', {
          cell_id,
          source: sources(random, index),
          author: `client ${clients.indexOf(client)}`,
        });
      else if (what < 6)
        client.send(random.pick(['cell_execute', 'cell_execute_force', 'cell_execute_rerun']), { cell_id });
      else if (what < 8) client.send('cell_cancel', { cell_id: random.pick([cell_id, ...cells]) });
      else if (what === 8) client.send(random.pick(['notebook_run_all', 'notebook_rerun_all', 'profiling_request']));
      else client.send(random.pick(['impact_preview_request', 'cell_focus']), { cell_id });
      sent += 1;
      // An answer to this question means that everything sent before it was handled.
      const asked = client.frames.length;
      client.send('notebook_sync');
      await client.frame((frame) => frame.type === 'notebook_state' && client.frames.indexOf(frame) >= asked);
    }

    await Promise.all(
      clients.map(async (client) => {
        while (performance.now() < until) await act(client);
      }),
    );
    t.diagnostic(`${sent} actions`);

    // Whatever still runs is ended, and then both ask for the state.
    await untilIt(async () => {
      const running = (await notebook.state()).cells.filter(({ status }) => status === 'running');
      for (const { id } of running) await notebook.request('POST', `/cells/${id}/cancel`);
      return running.length === 0;
    }, 'nothing runs');
    const states = await Promise.all(
      clients.map(async (client) => {
        const asked = client.frames.length;
        client.send('notebook_sync');
        const { payload } = await client.frame(
          (frame) => frame.type === 'notebook_state' && client.frames.indexOf(frame) >= asked,
        );
        return payload;
      }),
    );
    assert.deepEqual(states[0], states[1]);
    const uncoded = clients
      .flatMap(({ frames }) => frames)
      .filter(
        ({ type, payload }) =>
          type === 'error' && payload.code === undefined && payload.error !== 'Cascade plan not found or expired',
      );
    assert.deepEqual(
      uncoded.map(({ payload }) => payload.error),
      [],
    );
    for (const { frames } of clients) {
      const numbers = frames.map(({ seq }) => seq ?? 0);
      assert.deepEqual(
        numbers,
        numbers.toSorted((a, b) => a - b),
      );
    }
    assert.equal(server.output().includes('Traceback'), false);

    // The answer of a run equals what a fresh look at the notebook says.
    const last = cells.at(-1) ?? '';
    await notebook.edit(last, 'v7 = "settled"');
    assert.equal((await notebook.run(last, 'force')).status, 'ready');
    assert.equal(await server.stop(), 0);
    const left = execFileSync('ps', ['-eo', 'args'])
      .toString()
      .split('\n')
      .filter((line) => line.includes(notebook.path));
    assert.deepEqual(left, []);
  });
});
