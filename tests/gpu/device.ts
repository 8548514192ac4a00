// What is on the device: how much of its memory is taken, and which processes hold it.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

export const deviceCount = (): number => lines(['-L']).length;

/** MiB of all devices together; 0 without any. */
export const usedMemory = (): number =>
  lines(['--query-gpu=memory.used', '--format=csv,noheader,nounits']).reduce((sum, line) => sum + Number(line), 0);

export const deviceName = (): string => lines(['--query-gpu=name,driver_version', '--format=csv,noheader']).join('; ');

function lines(args: readonly string[]): string[] {
  try {
    return execFileSync('nvidia-smi', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\n')
      .filter((line) => line.trim() !== '');
  } catch {
    return [];
  }
}

/** Processes that inherited the mark; those that only wait to be buried show no environment. */
export const markedProcesses = (mark: string): string[] =>
  fs.readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && fs.readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark);
    } catch {
      return false;
    }
  });

/** Those of them that have a device open: in a container nvidia-smi does not see them. */
export const onDevice = (mark: string): string[] =>
  markedProcesses(mark).filter((pid) => {
    try {
      return fs.readdirSync(`/proc/${pid}/fd`).some((fd) => /^\/dev\/nvidia\d/.test(linkOf(`/proc/${pid}/fd/${fd}`)));
    } catch {
      return false;
    }
  });

function linkOf(place: string): string {
  try {
    return fs.readlinkSync(place);
  } catch {
    return '';
  }
}

/** Milliseconds until it holds; throws after so many seconds. */
export async function until(holds: () => boolean, seconds: number, what: string): Promise<number> {
  const begun = performance.now();
  while (!holds()) {
    if (performance.now() - begun > seconds * 1000) throw new Error(`not after ${seconds} s: ${what}`);
    await pause(20);
  }
  return performance.now() - begun;
}
