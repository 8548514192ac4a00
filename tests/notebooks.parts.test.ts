// Cells whose result is made of several runs: loops, swept variants and cells that run once for each of them.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestNotebook, openTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';
import type { Frame } from './kit/socket.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server[Symbol.asyncDispose]());

const ended =
  (cellId: string) =>
  ({ type, payload }: Frame): boolean =>
    type === 'cell_status' && payload.cell_id === cellId && payload.status !== 'running';

/** Runs a cell over the socket, and gives the frames of one kind, without what differs each time. */
async function progressOf(notebook: TestNotebook, cellId: string, kind: string): Promise<object[]> {
  const told = notebook.framesUntil(ended(cellId));
  notebook.socket.send('cell_execute_rerun', { cell_id: cellId });
  return (await told)
    .filter(({ type }) => type === kind)
    .map(({ payload: { duration_ms: _time, artifact_uri: _place, ...rest } }) => rest);
}

const preview = async (notebook: TestNotebook, source: string): Promise<unknown> =>
  (await notebook.run(await notebook.add(source))).display?.preview;

describe('a loop', () => {
  it('carries a value from one iteration to the next until its condition holds, and keeps every step', async () => {
    const notebook = await createTestNotebook(server, 'Loop');
    await notebook.add('x = 1');
    const loop = await notebook.add('# @loop max_iter=10 carry=x\n# @loop_until x > 8\nx = x * 2\nprint(x)');
    const told = await progressOf(notebook, loop, 'cell_iteration_progress');
    const step = { cell_id: loop, max_iter: 10, content_type: 'json/object' };
    assert.deepEqual(told, [
      { ...step, iteration: 0, until_reached: false },
      { ...step, iteration: 1, until_reached: false },
      { ...step, iteration: 2, until_reached: false },
      { ...step, iteration: 3, until_reached: true },
    ]);
    assert.equal(await preview(notebook, 'x'), 16);
    assert.equal((await notebook.cell(loop)).console_stdout, '2\n4\n8\n16\n');
    const { iterations, variable } = Object((await notebook.request('GET', `/cells/${loop}/iterations`)).json);
    assert.equal(variable, 'x');
    assert.deepEqual(
      iterations.map(({ artifact_id, byte_size, content_type }: Record<string, unknown>) => [
        String(artifact_id).replace(/^.*_var_/, ''),
        byte_size,
        content_type,
      ]),
      [
        ['x@iter=0', 1, 'json/object'],
        ['x@iter=1', 1, 'json/object'],
        ['x@iter=2', 1, 'json/object'],
        ['x@iter=3', 2, 'json/object'],
      ],
    );
    assert.equal((await notebook.run(loop)).cache_hit, true);
  });

  it('finds its folder as the step before left it, after a failure too', async () => {
    const notebook = await createTestNotebook(server, 'Folders');
    await notebook.add('n = 0');
    const source = (limit: number) =>
      `# @loop max_iter=4 carry=n\n# @output_dir steps\nassert n < ${limit}, "too far"\n(steps / f"{n}.txt").write_text("x" * n)\nn += 1\nprint(n, len(list(steps.iterdir())))`;
    const loop = await notebook.add(source(2));
    assert.match((await notebook.run(loop)).error ?? '', /^AssertionError: Iteration 2 of the loop failed: too far/);
    await notebook.edit(loop, source(9));
    assert.equal((await notebook.run(loop)).stdout, '1 1\n2 2\n3 3\n4 4\n');
    assert.deepEqual(await preview(notebook, 'sorted(f.name for f in steps.iterdir())'), [
      '0.txt',
      '1.txt',
      '2.txt',
      '3.txt',
    ]);
    await notebook.edit(loop, source(9).replace('max_iter=4', 'max_iter=5'));
    assert.equal((await notebook.run(loop)).stdout, '5 5\n', 'steps that are kept are not run again');
  });

  it('refuses what its steps could not share', async () => {
    const notebook = await createTestNotebook(server, 'Refused');
    await notebook.add('n = 0');
    const refused = {
      '# @dataset d team/numbers': 'A loop cannot have @dataset inputs: read them in an earlier cell.',
      '# @fetch f http://127.0.0.1:1/x': 'A loop cannot have @fetch inputs: fetch in an earlier cell.',
      '# @mount m file:///tmp/some-place rw': "A loop cannot write to a mount, and 'm' is read-write.",
    };
    for (const [line, reason] of Object.entries(refused)) {
      const cell = await notebook.add(`# @loop max_iter=2 carry=n\n${line}\nn += 1`);
      assert.equal((await notebook.run(cell)).error, `LoopRefused: ${reason}`);
      await notebook.request('DELETE', `/cells/${cell}`);
    }
  });

  it('starts from a step of another loop', async () => {
    const notebook = await createTestNotebook(server, 'Start');
    await notebook.add('x = 1');
    const first = await notebook.add('# @loop max_iter=5 carry=x\nx = x + 1');
    await notebook.run(first);
    await notebook.add(`# @loop max_iter=2 carry=x start_from=${first}@iter=2\nx = x * 10`);
    assert.equal(await preview(notebook, 'x'), 400);
  });

  it('goes on where a failed iteration stopped it', async () => {
    const notebook = await createTestNotebook(server, 'Resume');
    await notebook.add('x = 0');
    const loop = await notebook.add(
      '# @loop max_iter=4 carry=x\nimport os\nprint("step", x)\nif x == 2 and not os.path.exists("mended"): raise ValueError("broken")\nx = x + 1',
    );
    const broken = await notebook.run(loop);
    assert.match(broken.error ?? '', /Iteration 2 of the loop failed: .*broken/);
    await notebook.run(await notebook.add('open("mended", "w").close()'));
    const mended = await notebook.run(loop);
    assert.deepEqual([mended.status, mended.stdout], ['ready', 'step 2\nstep 3\n']);
    assert.equal((await notebook.run(loop, 'rerun')).stdout, 'step 0\nstep 1\nstep 2\nstep 3\n');
  });

  it('says what it lacks', async () => {
    const notebook = await createTestNotebook(server, 'Lacking');
    const loop = await notebook.add('# @loop max_iter=2 carry=y\ny = 1');
    assert.match((await notebook.run(loop)).error ?? '', /first y: define it in an earlier cell/);
  });
});

describe('a swept group', () => {
  it('gives its readers the values of all variants, and runs once per variant what asks for it', async () => {
    const notebook = await createTestNotebook(server, 'Sweep');
    await notebook.add('base = 10');
    const low = await notebook.add('# @variant rate low\nrate = base + 1');
    await notebook.add('# @variant rate high\nrate = base + 5');
    await notebook.request('PUT', '/variant-groups/rate', { mode: 'sweep' });
    assert.deepEqual(await preview(notebook, 'rate'), { low: 11, high: 15 });
    const each = await notebook.add('# @per_variant rate\nscore = rate * 2\nprint("rate", rate)');
    const member = { cell_id: each, total: 2, success: true, error: null };
    const told = await progressOf(notebook, each, 'cell_variant_progress');
    assert.deepEqual(
      told.toSorted((a, b) => Object(a).index - Object(b).index),
      [
        { ...member, variant: 'high', index: 0 },
        { ...member, variant: 'low', index: 1 },
      ],
    );
    assert.equal((await notebook.cell(each)).console_stdout, '[variant=high]\nrate 15\n\n[variant=low]\nrate 11\n');
    assert.deepEqual(await preview(notebook, 'score'), { low: 22, high: 30 });
    const zipped = await notebook.add('# @per_variant\nboth = (rate, score)\nprint(both)');
    assert.match((await notebook.run(zipped)).stdout, /\[variant=high\]\n\(15, 30\)\n\n\[variant=low\]\n\(11, 22\)/);

    await notebook.edit(low, '# @variant rate low\nrate = base + 2');
    const again = await notebook.run(zipped);
    assert.match(again.stdout, /\(12, 24\)/);
    const reopened = await openTestNotebook(server, notebook.path);
    assert.equal((await reopened.cell(zipped)).status, 'ready');
  });

  it('names the variant that failed', async () => {
    const notebook = await createTestNotebook(server, 'Failing');
    await notebook.add('# @variant d zero\nd = 0');
    await notebook.add('# @variant d one\nd = 1');
    await notebook.request('PUT', '/variant-groups/d', { mode: 'sweep' });
    const each = await notebook.add('# @per_variant\n1 / d');
    assert.match((await notebook.run(each)).error ?? '', /Variant 'zero' failed: .*division by zero/);
  });
});
