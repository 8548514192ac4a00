// Notebooks in the process of a command. Ctrl-C ends what was started for them first.
import type { Offline, OfflineOptions } from '../../server/offline.ts';
import { loadSettings } from '../../settings/index.ts';
import { atInterrupt } from '../interrupt.ts';
import { showProgress } from './progress.ts';

export async function openHere(options: OfflineOptions = {}): Promise<Offline> {
  const { createOffline } = await import('../../server/offline.ts');
  const { settings } = loadSettings({ env: process.env, cwd: process.cwd() });
  const offline = createOffline(settings, showProgress, options);
  const release = atInterrupt(() => offline.close());
  return {
    ...offline,
    async close() {
      await offline.close();
      release();
    },
  };
}

export async function withOffline<T>(work: (offline: Offline) => Promise<T>): Promise<T> {
  const offline = await openHere();
  try {
    return await work(offline);
  } finally {
    await offline.close();
  }
}
