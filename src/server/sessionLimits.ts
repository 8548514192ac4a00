// What the settings hold sessions of notebooks to.
import fs from 'node:fs';
import type { Settings } from '../settings/index.ts';

const mebibyte = 2 ** 20;

export const sessionLimits = (settings: Settings) => ({
  limits: {
    ttlSeconds: settings.notebookSessionTtlSeconds,
    maxSessions: settings.notebookMaxSessions,
    minAvailableBytes:
      settings.notebookSessionMinAvailableMb === null ? null : settings.notebookSessionMinAvailableMb * mebibyte,
  },
  availableBytes,
  lockSeconds: settings.notebookCellLockSeconds,
  questions: {
    seconds: settings.notebookAnswerSeconds,
    keepsFailures: settings.notebookKeepFailures,
    // Whoever reaches the port may do what the cell may; of a service these are the cells of others.
    attachesEditors: settings.deploymentMode === 'personal',
    mostBytes: settings.notebookKeepFailureMemoryMb * mebibyte,
  },
  readLimits: {
    bytes: settings.notebookConfirmReadBytes,
    dollars: settings.notebookConfirmReadCost,
    rates: settings.notebookCredentialReadCost,
    message: settings.notebookConfirmReadMessage,
  },
  keptLimits: {
    bytes: settings.notebookKeptCellMemoryMb === 0 ? null : settings.notebookKeptCellMemoryMb * mebibyte,
    idleSeconds: settings.notebookKeptCellIdleSeconds,
    answerSeconds: settings.notebookKeptCellAnswerSeconds,
  },
  reactiveLimits: {
    cellSeconds: settings.notebookReactiveCellSeconds,
    totalSeconds: settings.notebookReactiveTotalSeconds,
  },
  keepSuperseded: settings.notebookKeepSupersededVersions,
  codec: settings.notebookObjectCodec,
});

/** What the system can still give without swapping; where it does not tell, there is always enough. */
function availableBytes(): number {
  const [, kilobytes] = /^MemAvailable:\s+(\d+) kB$/m.exec(readMeminfo()) ?? [];
  return kilobytes === undefined ? Number.POSITIVE_INFINITY : Number(kilobytes) * 1024;
}

function readMeminfo(): string {
  try {
    return fs.readFileSync('/proc/meminfo', 'utf8');
  } catch {
    return '';
  }
}
