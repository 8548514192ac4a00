// What holds for every cluster engine behind the dispatcher, shown on a real one. The cluster has four CPUs.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { type HandedCell, startDispatch, type TestDispatch, type ToldState } from './dispatch.ts';
import { createTestNotebook } from './notebook.ts';
import { freePort } from './ports.ts';
import { isSleeping } from './processes.ts';
import { type Environment, startServer } from './server.ts';
import { until } from './until.ts';
import type { BundleText } from './worker.ts';

export interface TestCluster extends AsyncDisposable {
  /** How it is called in what cells are told. */
  readonly name: string;
  readonly args: readonly string[];
  readonly env: Environment;
  readonly node: string;
  /** How many jobs of it wait or run. */
  jobs(): Promise<number>;
  /** Ends all of them. */
  stopAll(): Promise<void>;
  /** Takes everything that runs away, as when a machine is lost, and is as good as before afterwards. */
  loseNode(): Promise<void>;
  /** What a cell is told that was lost by it. */
  readonly lostWords: RegExp;
  /** Arguments and environment under which nobody answers. */
  readonly nowhere: { readonly args: readonly string[]; readonly env: Environment };
  readonly nowhereWords: RegExp;
}

export interface Shared {
  readonly cluster: TestCluster;
  readonly dispatch: TestDispatch;
}

/** `start` gives undefined where the cluster is not installed. */
export function dispatchSuite(
  title: string,
  start: (t: TestContext) => Promise<TestCluster | undefined>,
  more: (shared: () => Shared) => void,
): void {
  let cluster: TestCluster | undefined;
  let dispatch: TestDispatch | undefined;
  const shared = (): Shared => {
    assert.ok(cluster && dispatch);
    return { cluster, dispatch };
  };

  describe(title, { timeout: 600_000 }, () => {
    before(async (t) => {
      cluster = await start(t as TestContext);
      if (!cluster) return;
      const { args, env } = cluster;
      dispatch = await startDispatch({ args: [...args, ...quick, '--port', String(await freePort())], env });
    });
    after(async () => {
      await dispatch?.[Symbol.asyncDispose]();
      await cluster?.[Symbol.asyncDispose]();
    });

    it('runs a cell on a worker that it starts, and the next one on the same', async () => {
      const { cluster, dispatch } = shared();
      const first = await dispatch.hand('print("hello")\nx = 1');
      const told = await first.until(() => false);
      assert.deepEqual(
        told.map(({ state }) => state),
        ['queued', 'starting', 'running', 'finished'],
        JSON.stringify(told),
      );
      assert.equal(told[0]?.detail?.startsWith(`waiting for ${cluster.name}, #1`), true, told[0]?.detail ?? '');
      assert.deepEqual(told[2], { state: 'running', detail: `running on ${cluster.node}` });
      assert.equal(printedBy(await first.ended()), 'hello\n');
      assert.equal(await cluster.jobs(), 1);
      const second = await dispatch.hand('print("again")');
      assert.equal(printedBy(await second.ended()), 'again\n');
      assert.equal(await cluster.jobs(), 1);
    });

    it('says what the cluster has and what its workers can do', async () => {
      const { status, max_concurrent, hardware, capabilities, own_environment } = await shared().dispatch.health();
      assert.deepEqual(
        [status, max_concurrent, hardware?.cpus, capabilities.features.output_dirs, typeof own_environment?.digest],
        ['healthy', 4, 4, true, 'string'],
      );
    });

    it('tells of a cell that raises or takes too long as a worker does', async () => {
      const { dispatch } = shared();
      const [raised, slow] = [
        await dispatch.hand('1 / 0'),
        await dispatch.hand('import time; time.sleep(600)', { params: { timeout_seconds: 1 } }),
      ];
      assert.equal(bundleIn(await raised.ended()).manifest.error, 'division by zero');
      const { state, status_code, error = '' } = toldIn(await slow.ended());
      assert.deepEqual([state, status_code], ['failed', 408]);
      assert.match(error, /1 s/);
    });

    it('ends a cell that is cancelled, whether it waits or runs, and everything it started', async () => {
      const { dispatch } = shared();
      const marker = '86397.5';
      const running = await dispatch.hand(
        `# @resources cpus=4\nimport subprocess\nsubprocess.run(["sleep", "${marker}"])`,
      );
      await running.until(({ state }) => state === 'running');
      await until(() => isSleeping(marker), 'the cell runs');
      const waiting = await dispatch.hand('# @resources cpus=3\nx = 1');
      await waiting.until(({ state }) => state === 'queued');
      assert.deepEqual(await waiting.cancel(), { build_id: waiting.buildId, cancelled: true });
      assert.deepEqual(toldIn(await waiting.ended()), {
        state: 'failed',
        status_code: 409,
        error: 'The execution was cancelled before the cell began.',
      });
      assert.deepEqual(await running.cancel(), { build_id: running.buildId, cancelled: true });
      assert.deepEqual(toldIn(await running.ended()), {
        state: 'failed',
        status_code: 500,
        error: 'The execution was cancelled.',
      });
      await until(() => !isSleeping(marker), 'the cell has ended');
      assert.deepEqual(await running.cancel(), { build_id: running.buildId, cancelled: false });
    });

    it('refuses resources that no node has, in words', async () => {
      const cell = await shared().dispatch.hand('# @resources cpus=64\nx = 1');
      const { status_code, error = '' } = toldIn(await cell.ended());
      assert.equal(status_code, 502);
      assert.match(error, /^No node of the cluster has 64 CPUs.*: the largest have 4 CPUs/);
    });

    it('tells of a lost node, and runs only those cells twice that say so', async (t) => {
      const { cluster, dispatch } = shared();
      const runs = runsIn(t);
      const once = await dispatch.hand(`${runs.note('once')}\nimport time; time.sleep(600)`);
      const twice = await dispatch.hand(
        `# @retry 1\n${runs.note('twice')}\nimport time, os\nif len(open("${runs.file('twice')}").read()) == 1: time.sleep(600)`,
      );
      for (const cell of [once, twice]) await cell.until(({ state }) => state === 'running');
      await until(() => runs.count('once') + runs.count('twice') >= 2, 'both cells run');
      await cluster.loseNode();
      const { status_code, error = '' } = toldIn(await once.ended());
      assert.equal(status_code, 500);
      assert.match(error, cluster.lostWords);
      assert.equal(bundleIn(await twice.ended()).manifest.success, true);
      assert.deepEqual([runs.count('once'), runs.count('twice')], [1, 2]);
    });

    it('loses no cell when it is killed: the next one finds it, still in its only run', async (t) => {
      const { cluster } = shared();
      const runs = runsIn(t);
      // Its workers outlive it.
      t.after(() => cluster.stopAll());
      const args = [...cluster.args, ...quick, '--port', String(await freePort())];
      const killed = await startDispatch({ args, env: cluster.env });
      const go = runs.file('go');
      const cell = await killed.hand(
        `${runs.note('run')}\nimport os, time\nwhile not os.path.exists("${go}"): time.sleep(0.05)\nprint("done")`,
      );
      await cell.until(({ state }) => state === 'running');
      const behind = await killed.hand('# @resources cpus=2\nprint("behind")');
      await until(() => runs.count('run') >= 1, 'the cell runs');
      await killed.kill();
      await using next = await startDispatch({ args, env: cluster.env, home: killed.home });
      fs.writeFileSync(go, '');
      assert.equal(printedBy(await cell.ended()), 'done\n');
      assert.equal(printedBy(await behind.ended()), 'behind\n');
      assert.equal(runs.count('run'), 1);
      assert.equal(next.output().includes('"level":"error"'), false, next.output());
    });

    it('passes on what a cell prints while it runs and where it runs, and cancels it by the server', async () => {
      const { cluster, dispatch } = shared();
      await using server = await startServer();
      const notebook = await createTestNotebook(server, 'Signed');
      const config = { url: dispatch.address, transport: 'signed', environment: 'own' };
      assert.equal(
        (await notebook.request('PUT', '/workers', { workers: [{ name: 'cluster', backend: 'executor', config }] }))
          .status,
        200,
      );
      const cell = await notebook.add(
        '# @worker cluster\nprint("while it runs", flush=True)\nimport time; time.sleep(600)',
      );
      const printed = notebook.socket.frame(
        ({ type, payload }) => type === 'cell_console' && payload.text === 'while it runs\n',
      );
      const placed = notebook.socket.frame(({ payload }) =>
        JSON.stringify(payload).includes(`running on ${cluster.node}`),
      );
      const ended = notebook.run(cell);
      await Promise.all([printed, placed]);
      assert.equal((await notebook.request('POST', `/cells/${cell}/cancel`)).status, 200);
      assert.equal((await ended).error_code, 'cancelled');
    });

    it('gives its workers back when nobody has used them for a while', async () => {
      const { cluster } = shared();
      const before = await cluster.jobs();
      const args = [...cluster.args, ...quick, '--port', '0', '--idle-seconds', '0.5'];
      await using brief = await startDispatch({ args, env: cluster.env });
      await (await brief.hand('x = 1')).ended();
      await until(async () => (await cluster.jobs()) <= before, 'idle workers were given back');
    });

    it('says on the cell that there is no cluster', async () => {
      const { cluster } = shared();
      await using alone = await startDispatch({ ...cluster.nowhere, args: [...cluster.nowhere.args, '--port', '0'] });
      const { status_code, error = '' } = toldIn(await (await alone.hand('x = 1')).ended());
      assert.equal(status_code, 502);
      assert.match(error, cluster.nowhereWords);
      assert.equal((await alone.health()).status, 'unavailable');
    });

    more(shared);
  });
}

const quick = ['--look-seconds', '0.2', '--idle-seconds', '60'];

export const toldIn = (end: BundleText | ToldState): ToldState => {
  assert.ok('state' in end, 'It ended with a bundle.');
  return end;
};

export const bundleIn = (end: BundleText | ToldState): BundleText => {
  assert.ok('members' in end, JSON.stringify(end));
  return end;
};

export const printedBy = (end: BundleText | ToldState): string => bundleIn(end).members['stdout.txt'] ?? '';

export type { HandedCell };

/** Notes of cells that they have run, in files of this machine. */
function runsIn(t: TestContext) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-runs-'));
  t.after(() => fs.rmSync(folder, { recursive: true, force: true }));
  const file = (name: string): string => path.join(folder, name);
  return {
    file,
    note: (name: string): string => `with open("${file(name)}", "a") as note: note.write("x")`,
    count: (name: string): number => (fs.existsSync(file(name)) ? fs.readFileSync(file(name), 'utf8').length : 0),
  };
}
