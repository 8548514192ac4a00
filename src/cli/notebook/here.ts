// Notebooks in the process of a command. Ctrl-C ends what was started for them first, so that no process stays behind and
// nothing is left half done; a second one does not wait.
import os from 'node:os';
import type { Offline, OfflineOptions } from '../../server/offline.ts';
import { loadSettings } from '../../settings/index.ts';
import { showProgress } from './progress.ts';

export async function openHere(options: OfflineOptions = {}): Promise<Offline> {
  const { createOffline } = await import('../../server/offline.ts');
  const { settings } = loadSettings({ env: process.env, cwd: process.cwd() });
  const offline = createOffline(settings, showProgress, options);
  let isStopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    const leave = (): never => process.exit(128 + os.constants.signals[signal]);
    if (isStopping) leave();
    isStopping = true;
    offline.close().then(leave, leave);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, stop);
  return {
    ...offline,
    async close() {
      await offline.close();
      for (const signal of signals) process.off(signal, stop);
    },
  };
}
