// `svc doctor --deep`: a store and notebooks that a server works on are well, and each thing that somebody broke is named.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { createTestNotebook } from './kit/notebook.ts';
import { startPostgres } from './kit/postgres.ts';
import { newHome, runSvc, startServer } from './kit/server.ts';

const home = fs.realpathSync(newHome());
const artifactDir = path.join(home, '.svc/artifacts');
const notebooks = path.join(home, '.svc/notebooks');
const uris: string[] = [];
after(() => fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 }));

interface Found {
  readonly what: string;
  readonly level: string;
  readonly code?: string;
  readonly where?: string;
  readonly found: string;
  readonly remedy?: string;
}

/** What it says of store and notebooks beside that they were looked at. */
async function deepFindings(): Promise<{ code: number | null; findings: Found[] }> {
  const { code, stdout, stderr } = await runSvc(['doctor', '--deep', '--format', 'json'], { home });
  assert.equal(stderr, '');
  const { findings }: { findings: Found[] } = JSON.parse(stdout);
  return { code, findings: findings.filter((one) => one.code !== undefined) };
}

const brief = ({ what, level, code, where }: Found): string => `${level} ${what}: ${code} ${where}`;
const addressOf = (index: number): string => uris[index]?.replace('svc://artifact/', '') ?? '';

describe('svc doctor --deep', () => {
  it('finds nothing wrong while a server edits and runs', async () => {
    await using server = await startServer({ home });
    for (const body of [
      { transform: { executor: 'base@v1' }, data: { a: [1, 2, 3] }, name: 'base' },
      { inputs: ['svc://name/base'], transform: { executor: 'sum@v1' }, data: { s: [6] }, name: 'total' },
      { transform: { executor: 'loose@v1' }, data: { s: [7] }, name: 'loose' },
    ]) {
      const answer = await server.rest.send('PUT', '/v1/artifacts', { json: body });
      uris.push(Object(answer.json).artifact_uri);
    }
    const notebook = await createTestNotebook(server, 'Sales');
    await notebook.add('rows = [1, 2, 3]');
    const large = await notebook.add('large = bytes(100_000)\ntotal = sum(rows)');
    const reader = await notebook.add('total + len(large)');
    assert.equal((await notebook.run(reader)).status, 'ready');
    assert.equal((await notebook.run(large)).status, 'ready');

    const edits = (async () => {
      for (let round = 0; round < 5; round += 1) {
        await notebook.edit(reader, `total + len(large) + ${round}`);
        await notebook.run(reader);
      }
    })();
    const seen = await deepFindings();
    await edits;
    assert.deepEqual(seen, { code: 0, findings: [] });
  });

  it('names what is wrong with a store, with what to do about it', async () => {
    const blobs = path.join(artifactDir, 'blobs');
    const database = new DatabaseSync(path.join(artifactDir, 'artifacts.sqlite'));
    const blobOf = (index: number): string => {
      const [id, version] = addressOf(index).split('@v=');
      const row = database
        .prepare('SELECT blob_name FROM artifact_versions WHERE id = ? AND version = ?')
        .get(id ?? '', Number(version));
      return path.join(blobs, String(row?.blob_name ?? `${addressOf(index)}.arrow`));
    };
    const bytes = fs.readFileSync(blobOf(0));
    bytes.writeUInt8((bytes.at(-1) ?? 0) ^ 1, bytes.length - 1);
    fs.writeFileSync(blobOf(0), bytes);
    fs.rmSync(blobOf(1));
    fs.writeFileSync(path.join(blobs, 'nobody.arrow'), 'left');
    fs.utimesSync(path.join(blobs, 'nobody.arrow'), 0, 0);
    database.exec("UPDATE artifact_names SET version = 9 WHERE name = 'loose'");
    database.close();
    fs.chmodSync(path.join(artifactDir, 'artifacts.sqlite'), 0o644);

    const { code, findings } = await deepFindings();
    assert.equal(code, 1);
    assert.deepEqual(
      findings.map(brief).sort(),
      [
        `problem Store: bytes_digest ${addressOf(0)}`,
        `problem Store: bytes_missing ${addressOf(1)}`,
        `problem Store: open_to_others ${path.join(artifactDir, 'artifacts.sqlite')}`,
        'problem Store: points_nowhere loose',
        'warning Store: bytes_unnamed nobody.arrow',
      ].sort(),
    );
    for (const { remedy } of findings) assert.match(remedy ?? '', /^[A-Z].*[^\s]$/);
  });

  it('names what is wrong with notebooks', async () => {
    const sales = path.join(notebooks, 'sales');
    const cells = fs.readdirSync(path.join(sales, 'cells')).sort();
    fs.rmSync(path.join(sales, 'cells', cells[0] ?? ''));
    fs.writeFileSync(path.join(sales, 'cells/stray.py'), '1\n');
    fs.writeFileSync(path.join(sales, '.svc/runtime.json'), '{', { mode: 0o600 });
    fs.chmodSync(path.join(sales, '.svc/runtime.json'), 0o644);
    const results = path.join(sales, '.svc/artifacts');
    const database = new DatabaseSync(path.join(results, 'artifacts.sqlite'));
    const large = database.prepare('SELECT id, version FROM artifact_versions WHERE byte_size > 65536').get();
    const small = database.prepare("SELECT id, version FROM artifact_versions WHERE id LIKE '%_var_rows'").get();
    database.prepare('DELETE FROM artifact_versions WHERE id = ?').run(String(small?.id));
    const lost = database
      .prepare('SELECT cell_id, provenance_hash FROM cell_results WHERE cell_id = ?')
      .all(/_cell_(\w+?)_var_/.exec(String(small?.id))?.[1] ?? '')
      .map((row) => `cell ${row.cell_id}, result ${String(row.provenance_hash).slice(0, 12)}`);
    database.close();
    fs.truncateSync(path.join(results, 'blobs', `${large?.id}@v=${large?.version}.arrow`), 10);
    fs.mkdirSync(path.join(notebooks, 'broken'));
    fs.writeFileSync(path.join(notebooks, 'broken/notebook.toml'), 'cells = [');

    const { code, findings } = await deepFindings();
    assert.equal(code, 1);
    assert.deepEqual(
      findings
        .filter(({ what }) => what !== 'Store')
        .map(brief)
        .sort(),
      [
        'problem broken: notebook_unreadable notebook.toml',
        `problem sales: bytes_size ${large?.id}@v=${large?.version}`,
        'problem sales: open_to_others .svc/runtime.json',
        ...lost.map((where) => `problem sales: result_without_value ${where}, ${small?.id}@v=${small?.version}`),
        `problem sales: source_missing cells/${cells[0]}`,
        'warning sales: file_of_no_cell cells/stray.py',
        'warning sales: record_malformed .svc/runtime.json',
      ].sort(),
    );
    const { stdout } = await runSvc(['doctor', '--deep'], { home });
    assert.match(stdout, /✗ broken +notebook\.toml.*\n {4}Correct notebook\.toml where it says/);
  });

  it('names files beside the cells that are broken or gone, copies with the id of another, and notebooks without their file', async () => {
    const place = fs.mkdtempSync(path.join(home, 'more-'));
    const made = (name: string): string => {
      const folder = path.join(place, name);
      fs.mkdirSync(path.join(folder, '.svc/artifacts/blobs'), { recursive: true });
      fs.mkdirSync(path.join(folder, 'cells'));
      const id = `5caf89a8-da80-4cb0-86f0-${name
        .padEnd(12, '0')
        .slice(0, 12)
        .replaceAll(/[^0-9a-f]/g, '1')}`;
      fs.writeFileSync(path.join(folder, 'notebook.toml'), `notebook_id = "${id}"\nname = "${name}"\n`);
      fs.writeFileSync(path.join(folder, 'pyproject.toml'), `[project]\nname = "${name}"\nversion = "0"\n`);
      fs.writeFileSync(path.join(folder, 'uv.lock'), 'version = 1\n');
      fs.writeFileSync(path.join(folder, '.svc/environment.json'), '{}', { mode: 0o600 });
      return folder;
    };
    const look = async (): Promise<string[]> => {
      const args = ['doctor', '--deep', '--format', 'json', '--notebook-dir', place];
      const { findings }: { findings: Found[] } = JSON.parse((await runSvc(args, { home })).stdout);
      for (const { remedy } of findings.filter(({ code }) => code)) assert.match(remedy ?? '', /^[A-Z].*[^\s]$/);
      return findings
        .filter(({ code, what }) => code !== undefined && what !== 'Store')
        .map(brief)
        .sort();
    };
    made('ada');
    assert.deepEqual(await look(), []);

    fs.writeFileSync(path.join(made('bea'), 'uv.lock'), 'package = [');
    fs.rmSync(path.join(made('cec'), 'uv.lock'));
    fs.writeFileSync(path.join(made('dea'), 'pyproject.toml'), 'project = [');
    fs.writeFileSync(path.join(made('eda'), 'comments.json'), '{');
    fs.cpSync(path.join(place, 'ada'), path.join(place, 'ada-copy'), { recursive: true });
    fs.rmSync(path.join(made('fae'), 'notebook.toml'));
    fs.writeFileSync(path.join(made('bad'), '.svc/artifacts/blobs/value@v=1.arrow'), 'x');
    assert.deepEqual(await look(), [
      'problem bad: results_missing .svc/artifacts/artifacts.sqlite',
      'problem bea: lock_unreadable uv.lock',
      'problem dea: packages_unreadable pyproject.toml',
      'problem eda: comments_unreadable comments.json',
      'problem fae: notebook_file_missing notebook.toml',
      'warning ada-copy: id_used_twice notebook.toml',
      'warning cec: lock_missing uv.lock',
    ]);
  });

  it('looks at a store whose rows lie in PostgreSQL', async (t) => {
    await using postgres = await startPostgres(t);
    if (!postgres) return;
    const other = newHome();
    const env = { SVC_ARTIFACT_METADATA_DSN: postgres.dsn };
    const server = await startServer({ home: other, env });
    const body = { transform: { executor: 'base@v1' }, data: { a: [1] }, name: 'base' };
    assert.equal((await server.rest.send('PUT', '/v1/artifacts', { json: body })).status, 200);
    await server[Symbol.asyncDispose]();
    const look = async (): Promise<unknown[]> => {
      const { stdout } = await runSvc(['doctor', '--deep', '--format', 'json'], { home: other, env });
      const { findings }: { findings: Found[] } = JSON.parse(stdout);
      return findings.filter(({ what }) => what === 'Store').map(({ level, code }) => [level, code]);
    };
    const blobs = path.join(other, '.svc/artifacts/blobs');
    fs.writeFileSync(path.join(blobs, 'nobody@v=1.arrow'), 'left');
    fs.utimesSync(path.join(blobs, 'nobody@v=1.arrow'), 0, 0);
    assert.deepEqual(await look(), [
      ['ok', undefined],
      ['warning', 'bytes_unnamed'],
    ]);
    for (const name of fs.readdirSync(blobs)) fs.rmSync(path.join(blobs, name));
    assert.deepEqual(await look(), [
      ['ok', undefined],
      ['problem', 'bytes_missing'],
    ]);
    fs.rmSync(other, { recursive: true, force: true, maxRetries: 5 });
  });

  it('refuses places without --deep', async () => {
    const { code, stderr } = await runSvc(['doctor', '--notebook-dir', home], { home });
    assert.deepEqual(
      [code, stderr],
      [2, 'error: --artifact-dir and --notebook-dir are looked into with --deep only; add it\n'],
    );
  });
});
