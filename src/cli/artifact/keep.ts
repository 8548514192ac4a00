// `svc artifact pull`, `verify` and `gc`: bytes out of the store, whether they are what was recorded, and what can go.
import { z } from 'zod';
import { finishedVersions, flawOfBytes } from '../../artifacts/index.ts';
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

export async function verifyStore(given: object): Promise<void> {
  const options = check(verifyOptions, given);
  await withStore(options, async ({ artifacts, artifactDir, settings }) => {
    const findings: Finding[] = [];
    for await (const version of finishedVersions(artifacts.parts.database)) {
      const found = await flawOfBytes(await artifacts.versions.peek(version), version);
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
