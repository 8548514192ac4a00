// What requests cost on a store of a thousand, a hundred thousand and ten million versions in PostgreSQL: `npm run bench:scale -- 1000 100000`.
// Prints the table of docs/scale.md.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { openMetadata } from '../../src/database/index.ts';
import { fillRows } from '../../tests/kit/manyRows.ts';
import { startPostgres } from '../../tests/kit/postgres.ts';
import type { Rest } from '../../tests/kit/rest.ts';
import { startServer } from '../../tests/kit/server.ts';

const one = '/v1/artifacts/artifact-424/v/1';

const requests: Readonly<Record<string, (rest: Rest) => Promise<{ readonly status: number }>>> = {
  'one version': (rest) => rest.get(one),
  'its lineage': (rest) => rest.get(`${one}/lineage`),
  'what was made of it': (rest) => rest.get(`${one}/dependents`),
  'a name': (rest) => rest.get('/v1/names/team-0/name-70'),
  'a name is set': (rest) =>
    rest.post('/v1/names', { json: { name: 'mine', artifact_id: 'artifact-424', version: 1 } }),
  'a tag is set': (rest) => rest.send('PUT', `${one}/tags`, { json: { key: 'k', value: 'v' } }),
  'newest 100': (rest) => rest.get('/v1/artifacts'),
  'largest 100': (rest) => rest.get('/v1/artifacts?sort=byte_size'),
  'under a beginning of names': (rest) => rest.get('/v1/artifacts?name_prefix=team-3/name-10'),
  'by a tag': (rest) => rest.get('/v1/registry/artifacts?tag_key=quarter&tag_value=q10'),
  'newest 10 of the audit': (rest) => rest.get('/v1/registry/audit?limit=10'),
  'usage (counts everything)': (rest) => rest.get('/v1/artifacts/usage'),
};

const rounds = 15;

async function median(ask: () => Promise<{ readonly status: number }>): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    const { status } = await ask();
    if (status !== 200) throw new Error(`A request answered ${status}`);
    taken.push(performance.now() - began);
    if (taken[0] !== undefined && taken[0] > 5000) break;
  }
  return taken.sort((a, b) => a - b)[taken.length >> 1] ?? 0;
}

async function measure(versions: number): Promise<Record<string, number>> {
  const machine = {
    skip(why?: string) {
      throw new Error(why ?? 'needs PostgreSQL');
    },
  };
  await using postgres = await startPostgres(machine, ['max_wal_size=8GB', 'maintenance_work_mem=512MB']);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-scale-'));
  try {
    if (!postgres) throw new Error('needs PostgreSQL');
    const database = await openMetadata({ artifactDir: folder, dsn: postgres.dsn });
    await fillRows(database, versions);
    const bytes = await database.get('SELECT pg_database_size(current_database()) AS bytes', [], (row) =>
      Number(row.bytes),
    );
    await database.close();
    await using server = await startServer({
      env: { SVC_ARTIFACT_METADATA_DSN: postgres.dsn, SVC_ARTIFACT_DIR: folder },
    });
    const found: Record<string, number> = {};
    for (const [name, ask] of Object.entries(requests)) found[name] = await median(() => ask(server.rest));
    return { ...found, 'database, MiB': (bytes ?? 0) / 1024 ** 2 };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

const sizes = process.argv.slice(2).map(Number);
const wanted = sizes.length > 0 ? sizes : [1e3, 1e5, 1e7];
const columns: Record<string, number>[] = [];
for (const versions of wanted) columns.push(await measure(versions));
const text = (value: number | undefined): string => (value === undefined ? '' : value.toFixed(value < 100 ? 1 : 0));
const rows = Object.keys(columns[0] ?? {}).map((name) => [name, ...columns.map((column) => text(column[name]))]);
const headings = ['ms', ...wanted.map((versions) => `${versions.toLocaleString('en').replaceAll(',', ' ')} versions`)];
console.log(
  [headings, headings.map((_, at) => (at === 0 ? '---' : '--:')), ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n'),
);
