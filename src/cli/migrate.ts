// `svc migrate`: copies the metadata of a local store to a PostgreSQL database that a server has been started against. Rows
// that are there already are skipped, so it can be run again; bytes are not copied.
import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { type Database, number as numberOf, openExistingMetadata, type SqlValue } from '../database/index.ts';
import { loadSettings } from '../settings/index.ts';
import { check } from './options.ts';
import { table } from './print.ts';

const migrateOptions = z.object({
  artifactDir: z.string().optional(),
  toDsn: z.string().optional(),
  dryRun: z.boolean().default(false),
  allowNonemptyTarget: z.boolean().default(false),
});

/** What is copied, and what a row is known by. Blobs and staged imports stay where they are. */
const tables: Readonly<Record<string, readonly string[]>> = {
  artifact_versions: ['id', 'version'],
  artifact_inputs: ['artifact_id', 'version', 'position'],
  artifact_names: ['tenant', 'name'],
  artifact_aliases: ['tenant', 'name', 'alias'],
  artifact_tags: ['tenant', 'artifact_id', 'version', 'key'],
  registry_audit: ['seq'],
  registry_pending: ['tenant', 'name', 'alias'],
  artifact_publications: ['id'],
  artifact_pins: ['artifact_id', 'version', 'reason'],
  builds: ['build_id'],
  build_attempts: ['build_id', 'attempt'],
  api_keys: ['key_id'],
};

const sliceLength = 500;
const shownRefusals = 10;

export async function migrateStore(given: object): Promise<void> {
  const options = check(migrateOptions, given);
  const { settings } = loadSettings({ env: process.env, cwd: process.cwd() });
  const artifactDir = options.artifactDir ?? settings.artifactDir;
  const dsn = options.toDsn ?? settings.artifactMetadataDsn;
  if (artifactDir === null || !fs.existsSync(path.join(artifactDir, 'artifacts.sqlite')))
    return refuse(`there is no artifact store in ${artifactDir ?? 'any directory'}; give --artifact-dir.`);
  if (dsn === null) return refuse('where to? Give --to-dsn, or set SVC_ARTIFACT_METADATA_DSN.');
  const source = await openExistingMetadata({ artifactDir, dsn: undefined });
  try {
    const target = await openExistingMetadata({ artifactDir, dsn });
    try {
      process.stdout.write(`from  ${artifactDir}\nto    ${masked(dsn)}\n`);
      await copyAll(source, target, options);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

function refuse(reason: string): void {
  process.stderr.write(`Refused: ${reason}\n`);
  process.exitCode = 1;
}

const masked = (dsn: string): string =>
  dsn.replace(/^(\w+:\/\/[^:/@]*):.*@/, '$1:***@').replace(/(\bpassword=)[^&\s]*/i, '$1***');

const count = async (database: Database, name: string): Promise<number> =>
  (await database.get(`SELECT COUNT(*) AS rows_there FROM ${name}`, [], (row) => numberOf(row, 'rows_there'))) ?? 0;

async function copyAll(
  source: Database,
  target: Database,
  options: { readonly dryRun: boolean; readonly allowNonemptyTarget: boolean },
): Promise<void> {
  const counts: { name: string; from: number; to: number }[] = [];
  for (const name of Object.keys(tables))
    counts.push({ name, from: await count(source, name), to: await count(target, name) });
  const rows = counts.map(({ name, from, to }) => [name, String(from), String(to)]);
  process.stdout.write(table(['TABLE', 'SOURCE', 'TARGET'], rows, ''));
  if (!options.allowNonemptyTarget && counts.some(({ to }) => to > 0))
    return refuse('the target holds rows already; --allow-nonempty-target copies what it lacks.');
  if (options.dryRun) {
    process.stdout.write('Nothing was copied: this was a dry run.\n');
    return;
  }
  let [copied, skipped] = [0, 0];
  const refused: string[] = [];
  for (const [name, key] of Object.entries(tables)) {
    const outcome = await copyTable(source, target, name, key);
    copied += outcome.copied;
    skipped += outcome.skipped;
    refused.push(...outcome.refused);
  }
  process.stdout.write(`Copied ${copied} rows, skipped ${skipped} already present.\n`);
  if (refused.length === 0) return;
  process.stderr.write(`${refused.length} rows were refused:\n${refused.slice(0, shownRefusals).join('\n')}\n`);
  process.exitCode = 1;
}

async function copyTable(source: Database, target: Database, name: string, key: readonly string[]) {
  const outcome = { copied: 0, skipped: 0, refused: [] as string[] };
  for (let offset = 0; ; offset += sliceLength) {
    const slice = await source.all(
      `SELECT * FROM ${name} ORDER BY ${key.join(', ')} LIMIT ? OFFSET ?`,
      [sliceLength, offset],
      (row) => Object.entries(row).map(([column, value]): [string, SqlValue] => [column, sqlValue(value)]),
    );
    for (const row of slice) {
      const columns = row.map(([column]) => column);
      const sql = `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')}) ON CONFLICT (${key.join(', ')}) DO NOTHING`;
      try {
        const written = await target.run(
          sql,
          row.map(([, value]) => value),
        );
        if (written > 0) outcome.copied += 1;
        else outcome.skipped += 1;
      } catch (error) {
        const where = row.filter(([column]) => key.includes(column)).map(([, value]) => String(value));
        outcome.refused.push(`${name} ${where.join(' ')}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    if (slice.length < sliceLength) return outcome;
  }
}

function sqlValue(value: unknown): SqlValue {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' || value === null)
    return value;
  throw new TypeError(`A column holds ${typeof value}, which is not copied.`);
}
