// `svc env`: works on the folder of shared environments itself, beside a running server or without one.
import path from 'node:path';
import { collectShared } from '../environments/index.ts';
import { loadSettings } from '../settings/index.ts';
import { UsageError } from './failure.ts';

export async function collectEnvironments(options: { ttlDays?: string }): Promise<void> {
  const { settings } = loadSettings({ env: process.env, cwd: process.cwd() });
  const ttlDays = options.ttlDays === undefined ? settings.notebookSharedEnvTtlDays : Number(options.ttlDays);
  if (!Number.isFinite(ttlDays) || ttlDays < 0) throw new UsageError('--ttl-days: must be a number of days, 0 or more');
  const root = settings.notebookSharedEnvDir;
  const [python, r] = [await collectShared(root, ttlDays), await collectShared(path.join(root, 'r'), ttlDays)];
  for (const key of python.removed) process.stdout.write(`removed ${key}\n`);
  for (const key of r.removed) process.stdout.write(`removed r/${key}\n`);
  const removed = python.removed.length + r.removed.length;
  process.stdout.write(`${removed} removed, ${python.kept + r.kept} kept in ${root}\n`);
}
