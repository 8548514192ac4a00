// A store of a million versions: listing it, counting it and planning a sweep must not hold up whoever is served meanwhile.
// What is measured is the delay of the event loop while that goes on.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Artifacts, listVersions, openArtifacts, openLocalBlobs, usageOf } from '../../src/artifacts/index.ts';
import { openMetadata } from '../../src/database/index.ts';
import { type Context, kept, type Line } from '../line.ts';

const versions = 1_000_000;
const day = 86_400;

/** Every tenth is named; every version but the first was made from the one before it in its row of ten. */
const fill = `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${versions - 1})
  INSERT INTO artifact_versions (id, version, state, provenance_hash, byte_size, created_at, last_used_at, minted, blob_name)
  SELECT 'artifact-' || i, 1, 'ready', 'hash-' || i, 1000, 1000000 + i, 1000000 + i, 1, 'blob-' || i FROM n`;
const fillInputs = `INSERT INTO artifact_inputs
  SELECT id, 1, 0, 'svc://artifact/artifact-' || (CAST(SUBSTR(id, 10) AS INTEGER) - 1) || '@v=1', 'x',
    'artifact-' || (CAST(SUBSTR(id, 10) AS INTEGER) - 1), 1 FROM artifact_versions WHERE CAST(SUBSTR(id, 10) AS INTEGER) % 10 > 0`;
const fillNames = `INSERT INTO artifact_names
  SELECT '', id, id, 1, 0 FROM artifact_versions WHERE CAST(SUBSTR(id, 10) AS INTEGER) % 100 = 9`;

const filled = kept(async ({ sandbox }: Context): Promise<string> => {
  const artifactDir = path.join(sandbox.folder(), 'artifacts');
  mkdirSync(artifactDir);
  const database = await openMetadata({ artifactDir, dsn: undefined });
  for (const statement of [fill, fillInputs, fillNames]) await database.run(statement);
  await database.close();
  return artifactDir;
});

async function delayWhile(context: Context, work: (store: Artifacts) => Promise<unknown>): Promise<number> {
  const artifactDir = await filled(context);
  const database = await openMetadata({ artifactDir, dsn: undefined });
  const blobs = await openLocalBlobs(path.join(artifactDir, 'blobs'));
  const store = await openArtifacts({ database, blobs, artifactDir, protectedAliases: [] });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await work(store);
  delay.disable();
  await store.close();
  await database.close();
  return delay.percentile(99) / 1e6;
}

const query = {
  limit: 1000,
  offset: 0,
  state: undefined,
  namePrefix: undefined,
  since: undefined,
  order: 'desc',
} as const;

export const millionListed: Line = {
  name: 'event-loop delay (p99) while a million versions are listed and counted',
  unit: 'ms',
  budget: { atMost: 20 },
  onlyFull: true,
  ours: (context) =>
    delayWhile(context, async ({ parts }) => {
      for (const sort of ['created_at', 'byte_size'] as const) await listVersions(parts, { ...query, sort });
      await listVersions(parts, { ...query, sort: 'created_at', offset: versions - 1000 });
      await usageOf(parts, undefined);
    }),
};

export const millionPlanned: Line = {
  name: 'event-loop delay (p99) while a sweep of a million versions is planned',
  unit: 'ms',
  budget: { atMost: 20 },
  onlyFull: true,
  ours: (context) =>
    delayWhile(context, ({ collection }) =>
      collection.plan({ maxIdleDays: null, maxBytes: versions * 500, minIdleSeconds: day, collectLatest: false }),
    ),
};
