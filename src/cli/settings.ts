// `svc settings`: the table of settings, with what holds in this folder and environment.
import { loadSettings, renderSettings } from '../settings/index.ts';
import { UsageError } from './failure.ts';

export function listSettings({ format }: { format: string }): void {
  if (format !== 'human' && format !== 'json' && format !== 'markdown') {
    throw new UsageError(`--format must be human, json or markdown, not '${format}'`);
  }
  const loaded = loadSettings({ env: process.env, cwd: process.cwd() });
  for (const warning of loaded.warnings) process.stderr.write(`warning: ${warning}\n`);
  process.stdout.write(`${renderSettings(format, loaded).trimEnd()}\n`);
}
