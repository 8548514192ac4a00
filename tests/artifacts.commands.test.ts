// `svc artifact`, `svc publish` and `svc migrate`, run as people run them.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openMetadata } from '../src/database/index.ts';
import { startPostgres } from './kit/postgres.ts';
import { newHome, runSvc, startServer } from './kit/server.ts';

const home = newHome();
const uris: string[] = [];
const svc = (...args: string[]) => runSvc(args, { home });
const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await svc(...args, '--format', 'json');
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
};

before(async () => {
  await using server = await startServer({ home });
  const put = async (body: object): Promise<void> => {
    const answer = await server.rest.send('PUT', '/v1/artifacts', { json: body });
    uris.push(Object(answer.json).artifact_uri);
  };
  await put({ transform: { executor: 'base@v1' }, data: { a: [1, 2, 3] }, name: 'base' });
  await put({ inputs: ['svc://name/base'], transform: { executor: 'sum@v1' }, data: { s: [6] }, name: 'total' });
  await put({ transform: { executor: 'loose@v1' }, data: { s: [7] } });
});
after(() => fs.rmSync(home, { recursive: true, force: true }));

const idOf = (index: number): string => /artifact\/(.*)@v=1$/.exec(uris[index] ?? '')?.[1] ?? '';

describe('svc artifact', () => {
  it('lists and shows', async () => {
    const listed = await json('artifact', 'list');
    assert.deepEqual(listed.map(({ names }: { names: string[] }) => names.join()).sort(), ['', 'base', 'total']);
    const shown = await json('artifact', 'show', 'total');
    assert.deepEqual(
      [shown.artifact_id, shown.transform, shown.inputs],
      [idOf(1), 'sum@v1', { 'svc://name/base': `${idOf(0)}@v=1` }],
    );
    assert.deepEqual(await json('artifact', 'show', `${idOf(1)}@v=1`), shown);
    assert.deepEqual(await json('artifact', 'show', idOf(1)), shown);
    const nothing = await svc('artifact', 'show', 'nothing', '--format', 'json');
    assert.deepEqual(
      [nothing.code, JSON.parse(nothing.stdout)],
      [1, { error: "Nothing in the store is called 'nothing'." }],
    );
    const many = await svc('artifact', 'list', '--limit', 'many');
    assert.deepEqual(many, { code: 2, stdout: '', stderr: 'error: --limit: must be a number\n' });
    assert.equal((await svc('artifact', 'list', '--artifact-dir', '/nowhere')).code, 2);
    const { stdout } = await svc('artifact', 'lineage', 'total');
    assert.equal(stdout, `${idOf(1)}@v=1  sum@v1  [total]\n└─ ${idOf(0)}@v=1  base@v1  [base]\n`);
    assert.deepEqual((await json('artifact', 'audit', 'base')).length, 1);
    assert.deepEqual(await json('artifact', 'pending'), []);
  });

  it('pulls, verifies and notices what was changed', async () => {
    const target = path.join(home, 'total.arrow');
    assert.equal((await svc('artifact', 'pull', 'total', '--to', target)).code, 0);
    assert.equal((await svc('artifact', 'verify')).code, 0);
    const folder = path.join(home, '.svc/artifacts/blobs');
    const blob = path.join(folder, fs.readdirSync(folder).find((name) => name.startsWith(idOf(1))) ?? '');
    const before = fs.readFileSync(blob);
    assert.deepEqual(fs.readFileSync(target), before);
    fs.writeFileSync(blob, Buffer.alloc(before.length));
    const { code, stdout } = await svc('artifact', 'verify', '--format', 'json');
    const { findings } = JSON.parse(stdout);
    assert.deepEqual([code, findings.length, findings[0].problem], [1, 1, 'digest']);
    fs.writeFileSync(blob, before);
  });

  it('publishes here and into another store, archives and withdraws', async () => {
    const record = await json('publish', 'total', '--here', '--title', 'T');
    assert.equal(createHash('sha256').update(record.token).digest('hex'), record.id);
    assert.equal((await json('artifact', 'publish', 'total')).token, null);
    const other = newHome();
    await (await openMetadata({ artifactDir: other, dsn: undefined })).close();
    const elsewhere = await json('artifact', 'publish', 'total', '--into', other);
    assert.equal(elsewhere.token.length, 43);
    assert.equal((await json('artifact', 'list', '--artifact-dir', other)).length, 2);
    const told = await svc('artifact', 'publish', `${idOf(0)}@v=1`, '--into', other);
    assert.match(
      told.stdout,
      new RegExp(`^/p/\\S+\nat ${other}; 0 versions .*\nThese steps .*:\n  svc://\\S+  base@v1\nTo withdraw`),
    );
    fs.rmSync(other, { recursive: true });
    const zip = path.join(home, 'a.zip');
    assert.equal((await svc('artifact', 'archive', 'total', '--to', zip)).code, 0);
    assert.ok(fs.readFileSync(zip).includes('ro-crate-metadata.json'));
    assert.equal((await svc('artifact', 'archive', 'total', '--to', zip)).code, 2);
    const folder = path.join(home, 'archived');
    assert.equal((await svc('artifact', 'archive', '--token', record.token, '--to', folder)).code, 0);
    assert.deepEqual(fs.readdirSync(folder).sort(), [
      'README.md',
      'artifact.arrow',
      'index.html',
      'manifest.json',
      'ro-crate-metadata.json',
    ]);
    assert.equal(JSON.parse(fs.readFileSync(path.join(folder, 'manifest.json'), 'utf8')).title, 'T');
    assert.equal((await svc('artifact', 'archive', 'total', '--token', record.token, '--to', `${folder}2`)).code, 2);
    assert.deepEqual(
      [(await svc('artifact', 'unpublish', record.token)).code, (await svc('artifact', 'unpublish', record.id)).code],
      [0, 1],
    );
  });

  it('promotes to another server', async () => {
    await using team = await startServer();
    const promoted = await json('artifact', 'promote', 'total', '--to', team.address, '--name', 'n', '--tag', 'k=v');
    assert.deepEqual([promoted.copied, promoted.artifact_uri], [2, uris[1]]);
    assert.equal(Object((await team.rest.get('/v1/names/n')).json).artifact_uri, uris[1]);
  });

  it('exports rows to a table', async () => {
    const table = `file://${path.join(home, 'warehouse')}#out.total`;
    const first = await json('artifact', 'export', 'total', '--table', table, '--alias', 'best', '--by', 'ann');
    assert.deepEqual([first.artifact_uri, first.table, first.created], [uris[1], table, true]);
    assert.equal((await json('artifact', 'export', 'total', '--table', table)).created, false);
    assert.equal((await svc('artifact', 'export', 'total', '--table', 'nonsense')).code, 1);
  });

  it('collects, after saying what it would', async () => {
    const limits = ['--max-bytes', '1', '--min-idle-seconds', '0'];
    const plan = await json('artifact', 'gc', ...limits, '--dry-run');
    assert.deepEqual(
      plan.collected.map(({ artifact_id }: { artifact_id: string }) => artifact_id),
      [idOf(2)],
    );
    assert.equal((await json('artifact', 'gc', ...limits)).deleted_count, 1);
    assert.equal((await svc('artifact', 'gc', '--max-bytes', 'many')).code, 2);
  });
});

describe('svc migrate', () => {
  it('copies metadata once, and refuses a database that is in use', async (t) => {
    await using postgres = await startPostgres(t);
    if (!postgres) return;
    const migrate = (...args: string[]) => svc('migrate', '--to-dsn', postgres.dsn, ...args);
    assert.equal((await migrate()).code, 1);
    await (await openMetadata({ artifactDir: '', dsn: postgres.dsn })).close();
    const dry = await migrate('--dry-run');
    assert.deepEqual([dry.code, /artifact_versions +2 +0/.test(dry.stdout)], [0, true], dry.stderr);
    const first = await migrate();
    assert.deepEqual([first.code, /Copied (\d+) rows, skipped 0/.exec(first.stdout)?.length], [0, 2], first.stderr);
    assert.deepEqual([(await migrate()).code, /Refused:/.test((await migrate()).stderr)], [1, true]);
    const again = await migrate('--allow-nonempty-target');
    assert.match(again.stdout, /Copied 0 rows, skipped [1-9]/);
  });
});
