// `svc artifact pull`, `verify` and `gc`: bytes out of the store, whether they are what was recorded, and what can go.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Artifacts, type ArtifactVersion, versionOf } from '../../artifacts/index.ts';
import { UsageError } from '../failure.ts';
import { check } from '../options.ts';
import { writeOut } from '../outFile.ts';
import { bytesText, momentText, printJson, table } from '../print.ts';
import { findReference, storeOptions, withStore } from './store.ts';

const format = z.enum(['human', 'json']);
const pullOptions = storeOptions.extend({ to: z.string().optional() });
const verifyOptions = storeOptions.extend({ format });
const notNegative = z.coerce.number('must be a number').min(0, 'must not be negative').optional();
const gcOptions = storeOptions.extend({
  maxBytes: z.string().optional(),
  maxIdleDays: notNegative,
  minIdleSeconds: notNegative,
  collectLatest: z.boolean().default(false),
  dryRun: z.boolean().default(false),
  format,
});

export async function pullArtifact(reference: string, given: object): Promise<void> {
  const options = check(pullOptions, given);
  await withStore(options, async ({ artifacts }) => {
    const version = await findReference(artifacts, reference, options.tenant);
    const blob = await artifacts.versions.open(version);
    if (!blob || (version.state !== 'ready' && version.state !== 'superseded'))
      throw new Error(`${version.id}@v=${version.version} has no bytes (state=${version.state}).`);
    const target = options.to ?? `${reference.replaceAll(/[/@]/g, '_')}.arrow`;
    await writeOut(target, await blob.read());
    process.stdout.write(`${target}  ${bytesText(blob.byteSize)}\n`);
  });
}

interface Finding {
  readonly artifact_id: string;
  readonly version: number;
  readonly problem: string;
  readonly detail: string;
}

const sliceLength = 200;

export async function verifyStore(given: object): Promise<void> {
  const options = check(verifyOptions, given);
  await withStore(options, async ({ artifacts, artifactDir, settings }) => {
    const findings: Finding[] = [];
    for await (const version of finishedVersions(artifacts)) {
      const found = await problemOf(artifacts, version);
      if (found) findings.push({ artifact_id: version.id, version: version.version, ...found });
    }
    const { dialect } = artifacts.parts.database;
    const blobs = options.artifactDir === undefined ? settings.artifactBlobBackend : 'local';
    if (options.format === 'json') printJson({ artifact_dir: artifactDir, metadata: dialect, blobs, findings });
    else
      process.stdout.write(
        table(
          ['ARTIFACT', 'PROBLEM', 'DETAIL'],
          findings.map((one) => [`${one.artifact_id}@v=${one.version}`, one.problem, one.detail]),
          'Every version has the bytes that were recorded.',
        ),
      );
    if (findings.length > 0) process.exitCode = 1;
  });
}

async function* finishedVersions({ parts: { database } }: Artifacts): AsyncGenerator<ArtifactVersion> {
  let after = { id: '', version: 0 };
  for (;;) {
    const slice = await database.all(
      `SELECT * FROM artifact_versions WHERE state IN ('ready', 'superseded') AND (id > ? OR (id = ? AND version > ?))
       ORDER BY id, version LIMIT ?`,
      [after.id, after.id, after.version, sliceLength],
      versionOf,
    );
    yield* slice;
    const last = slice.at(-1);
    if (!last) return;
    after = last;
  }
}

async function problemOf({ versions }: Artifacts, version: ArtifactVersion) {
  const blob = await versions.peek(version);
  if (!blob) return { problem: 'missing', detail: 'its bytes are not there' };
  if (version.byteSize !== null && blob.byteSize !== version.byteSize)
    return { problem: 'size', detail: `${version.byteSize} bytes were recorded, ${blob.byteSize} are there` };
  if (!version.contentSha256) return undefined;
  const hash = createHash('sha256');
  for await (const piece of await blob.read()) hash.update(piece);
  const actual = hash.digest('hex');
  return actual === version.contentSha256
    ? undefined
    : { problem: 'digest', detail: `recorded ${version.contentSha256}, found ${actual}` };
}

const sizeUnits: Readonly<Record<string, number>> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

function sizeOf(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?$/i.exec(text.trim());
  const unit = sizeUnits[match?.[2]?.toUpperCase() ?? ''];
  if (!match || unit === undefined) throw new UsageError(`--max-bytes: '${text}' is no size; write 500M or 20G`);
  return Number(match[1]) * unit;
}

export async function collectArtifacts(given: object): Promise<void> {
  const options = check(gcOptions, given);
  await withStore(options, async ({ artifacts, artifactDir, settings }) => {
    const maxBytes = options.maxBytes === undefined ? settings.artifactGcMaxBytes : sizeOf(options.maxBytes);
    const policy = {
      maxIdleDays: (options.maxIdleDays ?? settings.artifactGcMaxIdleDays) || null,
      maxBytes: maxBytes || null,
      minIdleSeconds: options.minIdleSeconds ?? settings.artifactGcMinIdleSeconds,
      collectLatest: options.collectLatest,
    };
    const { victims, storeBytes } = options.dryRun
      ? await artifacts.collection.plan(policy)
      : await artifacts.collection.collect(policy);
    const summary = {
      artifact_dir: artifactDir,
      deleted_count: victims.length,
      deleted_bytes: victims.reduce((sum, { byteSize }) => sum + byteSize, 0),
      store_bytes: storeBytes,
      dry_run: options.dryRun,
    };
    const collected = victims.map(({ id, version, byteSize, lastUsedAt }) => ({
      artifact_id: id,
      version,
      byte_size: byteSize,
      last_used_at: lastUsedAt,
    }));
    if (options.format === 'json') return printJson(options.dryRun ? { ...summary, collected } : summary);
    const would = options.dryRun ? 'would be collected' : 'collected';
    if (options.dryRun)
      process.stdout.write(
        table(
          ['ARTIFACT', 'SIZE', 'LAST USED'],
          collected.map((one) => [
            `${one.artifact_id}@v=${one.version}`,
            bytesText(one.byte_size),
            momentText(one.last_used_at),
          ]),
          'Nothing can go.',
        ),
      );
    process.stdout.write(
      `${summary.deleted_count} versions ${would}, ${bytesText(summary.deleted_bytes)} of ${bytesText(storeBytes)}.\n`,
    );
  });
}
