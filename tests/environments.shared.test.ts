// Environments that notebooks share: the same lock and interpreter are one folder, however many are made at once; nobody's
// change reaches another; what nobody links to is collected.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { type PackageIndex, startPackageIndex } from './kit/packageIndex.ts';
import { newHome, runSvc, startServer, type TestServer } from './kit/server.ts';

describe('shared environments', () => {
  const home = newHome();
  const envs = path.join(home, 'envs');
  let index: PackageIndex;
  let env: Record<string, string>;
  const servers: TestServer[] = [];
  before(async () => {
    index = await startPackageIndex({ tinyone: { '1.0': [], '2.0': [] } });
    env = {
      ...index.env,
      SVC_NOTEBOOK_ENV_BACKEND: 'shared',
      SVC_NOTEBOOK_SHARED_ENV_DIR: envs,
    };
    // Two servers on one folder, as on a machine where two people work.
    for (const name of ['a', 'b'])
      servers.push(await startServer({ home, env: { ...env, SVC_NOTEBOOK_STORAGE_DIR: path.join(home, name) } }));
  });
  after(async () => {
    for (const server of servers) await server[Symbol.asyncDispose]();
    await index[Symbol.asyncDispose]();
    fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });

  const target = ({ path: place }: TestNotebook): string => fs.readlinkSync(path.join(place, '.venv'));
  const complete = (): string[] =>
    fs.readdirSync(envs).filter((name) => fs.existsSync(path.join(envs, name, '.svc-env-complete')));

  it('are made once although many ask at the same time, and each goes its own way after', async () => {
    const notebooks = await Promise.all(
      servers.flatMap((server) => ['One', 'Two', 'Three'].map((name) => createTestNotebook(server, name))),
    );
    const states = await Promise.all(notebooks.map((one) => one.state()));
    assert.deepEqual(
      states.map(({ environment }) => environment.sync_error),
      notebooks.map(() => null),
    );
    assert.equal(new Set(notebooks.map(target)).size, 1);
    assert.deepEqual(complete(), [path.basename(target(notebooks[0] ?? assert.fail()))]);
    const [first, second] = notebooks;
    assert.ok(first && second);
    const runs = await Promise.all([first, second].map(async (one) => one.run(await one.add('import pyarrow; 1'))));
    assert.deepEqual(
      runs.map(({ status }) => status),
      ['ready', 'ready'],
    );
    const added = await first.request('POST', '/dependencies', { package: 'tinyone' });
    assert.equal(added.status, 200, added.text);
    assert.notEqual(target(first), target(second));
    const source = 'import tinyone\ntinyone.VERSION';
    assert.equal((await first.run(await first.add(source))).status, 'ready');
    assert.match((await second.run(await second.add(source))).error ?? '', /No module named 'tinyone'/);
    const failed = await first.request('POST', '/dependencies', { package: 'tinyone==7' });
    assert.equal(failed.status, 400);
    assert.equal((await first.run(await first.add(source))).status, 'ready');
  });

  it('are collected when nobody links to them any more and they were idle', async () => {
    const [server] = servers;
    assert.ok(server);
    const notebook = await createTestNotebook(server, 'Collect');
    await notebook.request('POST', '/dependencies', { package: 'tinyone<2' });
    const left = target(notebook);
    await notebook.request('DELETE', '/dependencies/tinyone');
    const gc = (...args: string[]) => runSvc(['env', 'gc', ...args], { home, env });
    assert.match((await gc()).stdout, /^(kept \w+ \(linked by \d\)\n){3}0 removed, 3 kept/);
    // Idle for longer than the settings allow, and its claim is old.
    const old = new Date(Date.now() - 8 * 86_400_000);
    const refs = path.join(envs, 'refs', path.basename(left));
    for (const file of [
      path.join(left, '.svc-env-complete'),
      ...fs.readdirSync(refs).map((name) => path.join(refs, name)),
    ])
      fs.utimesSync(file, old, old);
    for (const key of complete()) fs.utimesSync(path.join(envs, key, '.svc-env-complete'), old, old);
    const collected = (await gc('--dir', envs)).stdout;
    assert.deepEqual(collected.match(/^removed .*|^\d.*/gm), [
      `removed ${path.basename(left)}`,
      `1 removed, 2 kept in ${envs}`,
    ]);
    assert.equal(fs.existsSync(left), false);
    assert.equal((await notebook.run(await notebook.add('import pyarrow; 2'))).status, 'ready');
    const bad = await gc('--ttl-days', 'soon');
    assert.deepEqual([bad.code, /must be a number of days/.test(bad.stderr)], [2, true]);
  });
});
