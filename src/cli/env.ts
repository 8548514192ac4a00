// `svc env`: works on the folder of shared environments itself, beside a running server or without one.
import fs from 'node:fs';
import path from 'node:path';
import { collectEnvironments } from '../environments/index.ts';
import { loadSettings } from '../settings/index.ts';
import { UsageError } from './failure.ts';

export async function collectNow(options: { dir?: string; ttlDays?: string }): Promise<void> {
  const { settings } = loadSettings({ env: process.env, cwd: process.cwd() });
  const ttlDays = options.ttlDays === undefined ? settings.notebookSharedEnvTtlDays : Number(options.ttlDays);
  if (!Number.isFinite(ttlDays) || ttlDays < 0) throw new UsageError('--ttl-days: must be a number of days, 0 or more');
  const root = path.resolve(options.dir ?? settings.notebookSharedEnvDir);
  if (options.dir !== undefined && !fs.existsSync(root)) throw new UsageError(`--dir: ${root} does not exist`);
  const { removed, kept } = await collectEnvironments(root, ttlDays);
  for (const key of removed) process.stdout.write(`removed ${key}\n`);
  for (const { key, links } of kept)
    process.stdout.write(`kept ${key} (${links === 0 ? 'used lately' : `linked by ${links}`})\n`);
  process.stdout.write(`${removed.length} removed, ${kept.length} kept in ${root}\n`);
}
