// Two servers of colleagues and the store that they share: what one computes, the other finds.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { newHome, startServer, type TestServer } from './kit/server.ts';
import { asserted, startProxied } from './kit/service.ts';

const crew = (principal: string) => asserted({ principal, scopes: 'artifacts:write', tenant: 'crew' });

let team: TestServer;
before(async () => {
  team = await startProxied({
    SVC_ARTIFACT_DIR: path.join(newHome(), 'artifacts'),
    SVC_SERVICE_WRITES_ENABLED: 'true',
    SVC_MULTI_TENANT_ENABLED: 'true',
  });
});
after(() => team[Symbol.asyncDispose]());

const startColleague = (principal: string, env: Record<string, string> = {}): Promise<TestServer> =>
  startServer({
    env: {
      SVC_NOTEBOOK_REMOTE_STORE_URL: team.address,
      SVC_NOTEBOOK_REMOTE_STORE_HEADERS: JSON.stringify(crew(principal)),
      SVC_NOTEBOOK_TEAM_CACHE_ENABLED: 'true',
      ...env,
    },
  });

const storedAtTeam = async (): Promise<number> => {
  const { json } = await team.rest.get('/v1/artifacts/usage', { headers: crew('reader') });
  return Object(json).total_versions;
};

async function work(notebook: TestNotebook, source: string) {
  const made = await notebook.add(source);
  const read = await notebook.add('print(sum(base), odd)');
  await notebook.run(read);
  return { made: await notebook.cell(made), read: await notebook.cell(read) };
}

const source = `import time
started = time.time_ns()
base = [1, 2, started]
odd = {1, 3}
print("made")
base`;

describe('the team cache', () => {
  it('gives a colleague what was computed, with all that was shown, and says from whom', async () => {
    let computed: Awaited<ReturnType<typeof work>>;
    {
      await using ada = await startColleague('ada');
      computed = await work(await createTestNotebook(ada), source);
      // What was computed is handed over before the server has stopped.
      await ada.stop('SIGTERM');
    }
    await using bob = await startColleague('bob');
    const notebook = await createTestNotebook(bob, 'Another');
    const made = await notebook.add(source);
    const read = await notebook.add('print(sum(base), odd)');
    const frames = notebook.framesUntil(({ type, payload }) => type === 'cell_output' && payload.cell_id === read);
    const answer = await notebook.run(read);
    assert.deepEqual(
      [answer.cache_hit, answer.from_team_cache, answer.team_cache_principal, answer.execution_method, answer.stdout],
      [true, true, 'ada', 'cached', computed.read.console_stdout],
    );
    assert.match(String(answer.team_cache_build_env), /^cpython-3\.\d+-\w+-\w+$/);
    assert.ok(Number(answer.team_cache_saved_ms) > 0);
    const told = (await frames).filter(({ type }) => type === 'cell_output').map(({ payload }) => payload);
    assert.deepEqual(
      told.map((one) => [one.cell_id, one.cache_hit, one.from_team_cache]),
      [
        [made, true, true],
        [read, true, true],
      ],
    );
    const { display_output, console_stdout } = await notebook.cell(made);
    assert.deepEqual([console_stdout, display_output?.preview], ['made\n', computed.made.display_output?.preview]);

    notebook.socket.send('profiling_request');
    const { payload } = await notebook.socket.frame(({ type }) => type === 'profiling_summary');
    assert.deepEqual([payload.team_cache_hits, payload.team_contributors, payload.team_promotions], [2, ['ada'], []]);

    const again = await notebook.run(read);
    assert.deepEqual([again.cache_hit, again.from_team_cache], [true, false], 'from then on it is the notebook’s own');
    const anew = await notebook.run(made, 'rerun');
    assert.deepEqual([anew.cache_hit, anew.from_team_cache], [false, false]);
  });

  it('takes without giving where only promoted results are shared', async () => {
    const before = await storedAtTeam();
    await using eve = await startColleague('eve', { SVC_NOTEBOOK_TEAM_CACHE_PUBLISH: 'promoted' });
    const notebook = await createTestNotebook(eve);
    const made = await notebook.add(source);
    const other = await notebook.add('mine = len(base) + 1');
    const last = await notebook.add('print(mine)');
    await notebook.run(last);
    assert.equal((await notebook.cell(made)).cache_hit, true);
    assert.equal((await notebook.cell(other)).cache_hit, false);
    await eve.stop('SIGTERM');
    assert.equal(await storedAtTeam(), before);
  });

  it('gives a result that read files to whoever has the same files, and to nobody else', async () => {
    const begin = async (server: TestServer, prices: string) => {
      const notebook = await createTestNotebook(server);
      const file = path.join(notebook.path, 'work/prices.csv');
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, prices);
      const rows = await notebook.add('rows = open("prices.csv").read().split()');
      await notebook.add('print(rows)');
      return { notebook, file, rows };
    };
    await using hal = await startColleague('hal');
    const first = await begin(hal, '1 2');
    assert.equal((await first.notebook.run(first.rows)).from_team_cache, false);
    await hal.stop('SIGTERM');

    await using ida = await startColleague('ida');
    const same = await begin(ida, '1 2');
    const found = await same.notebook.run(same.rows);
    assert.deepEqual([found.from_team_cache, found.team_cache_principal], [true, 'hal'], String(found.error));
    assert.deepEqual(Object((await same.notebook.cell(same.rows)).effects).read, ['work/prices.csv']);
    const stale = same.notebook.framesUntil(
      ({ type, payload }) => type === 'cell_status' && payload.cell_id === same.rows && payload.status === 'stale',
    );
    fs.writeFileSync(same.file, '1 2 3');
    await stale;
    assert.equal((await same.notebook.run(same.rows)).from_team_cache, false, 'nobody has computed it with this file');

    await using jon = await startColleague('jon');
    const other = await begin(jon, '7');
    const ran = await other.notebook.run(other.rows);
    assert.deepEqual([ran.from_team_cache, ran.cache_hit], [false, false]);
  });

  it('is not asked when Run means run: a repeat may give something else', async () => {
    await using kim = await startColleague('kim');
    const notebook = await createTestNotebook(kim);
    await notebook.add('import time\nnow = time.time_ns()');
    await notebook.run(await notebook.add('print(now > 0)'));
    await kim.stop('SIGTERM');
    await using lea = await startColleague('lea');
    const hers = await createTestNotebook(lea);
    const again = await hers.add('import time\nnow = time.time_ns()');
    await hers.add('print(now > 0)');
    const ways = [await hers.run(again), await hers.run(again)].map((ran) => [ran.from_team_cache, ran.cache_hit]);
    assert.deepEqual(ways, [
      [true, true],
      [false, false],
    ]);
  });

  it('finds what was promoted, under the name that it has', async () => {
    const onlyPromoted = { SVC_NOTEBOOK_TEAM_CACHE_PUBLISH: 'promoted' };
    const reading = 'print(sorted(chosen))';
    await using fay = await startColleague('fay', onlyPromoted);
    const hers = await createTestNotebook(fay);
    const made = await hers.add('chosen = [3, 1, 2]');
    await hers.run(await hers.add(reading));
    const uri = String((await hers.cell(made)).artifact_uri);
    const [, id] = /^svc:\/\/artifact\/(.*)@v=1$/.exec(uri) ?? [];
    assert.equal((await hers.request('POST', `/artifacts/${id}/v/1/promote`, { name: 'crew/chosen' })).status, 200);

    await using gus = await startColleague('gus', onlyPromoted);
    const his = await createTestNotebook(gus);
    const found = await his.add('chosen = [3, 1, 2]');
    await his.add(reading);
    const answer = await his.run(found);
    assert.deepEqual([answer.from_team_cache, answer.team_cache_promotion], [true, 'crew/chosen']);
  });

  it('leaves folders, uncached cells and what may only touch files at home', async () => {
    const before = await storedAtTeam();
    await using dan = await startColleague('dan');
    const notebook = await createTestNotebook(dan);
    await notebook.add('# @nocache\nuncached = 1');
    await notebook.add('# @output_dir made\n(made / "a.txt").write_text("a")');
    const reader = await notebook.add('open("out.txt", "w").write(str(uncached))\nprint(sorted(made.iterdir()))');
    assert.equal((await notebook.run(reader)).error, null);
    await dan.stop('SIGTERM');
    assert.equal(await storedAtTeam(), before);
  });

  it('breaks nothing when the store is gone', async () => {
    await using dan = await startColleague('dan');
    const notebook = await createTestNotebook(dan);
    await team.stop('SIGKILL');
    const answer = await notebook.run(await notebook.add('print("alone")'));
    assert.deepEqual([answer.stdout, answer.error, answer.from_team_cache], ['alone\n', null, false]);
    await dan.printed(/The team store was asked in vain/);
  });
});
