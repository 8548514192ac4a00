// Memory of a process and of everything it started, as Linux counts it: the resident pages of each, summed.
import fs from 'node:fs';
import { NotMeasured } from './notMeasured.ts';

export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
  readonly residentMebibytes: number;
}

/** The process itself comes first. */
export function processTree(root: number): ProcessFacts[] {
  if (process.platform !== 'linux') throw new NotMeasured('process memory is read from /proc, which only Linux has');
  const all = fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => factsOf(Number(name)))
    .filter((facts) => facts !== undefined);
  const below = (pid: number): ProcessFacts[] =>
    all.filter(({ parent }) => parent === pid).flatMap((child) => [child, ...below(child.pid)]);
  return [...all.filter(({ pid }) => pid === root), ...below(root)];
}

export const totalMebibytes = (processes: readonly ProcessFacts[]): number =>
  processes.reduce((sum, { residentMebibytes }) => sum + residentMebibytes, 0);

/** Pages that several processes share count once: each of them has its part of such a page. */
export function proportionalMebibytes(processes: readonly ProcessFacts[]): number {
  return processes.reduce((sum, { pid }) => {
    try {
      const text = fs.readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
      return sum + Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1024;
    } catch {
      return sum; // it has just ended
    }
  }, 0);
}

/** Undefined when the process ended while its facts were read. */
function factsOf(pid: number): ProcessFacts | undefined {
  try {
    const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
    const command = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    const field = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
    return { pid, parent: field('PPid'), command, residentMebibytes: field('VmRSS') / 1024 };
  } catch {
    return undefined;
  }
}
