// Processes that a test has cells start, told apart by how long they sleep.
import { readdirSync, readFileSync } from 'node:fs';

/** Whether some process is a `sleep` of this very length. */
export function isSleeping(marker: string): boolean {
  return readdirSync('/proc').some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `sleep\0${marker}\0`;
    } catch {
      return false;
    }
  });
}

/** Processes below this one that run a program of this name. */
export function descendants(name: string): number[] {
  const parents = new Map<number, number>();
  const found: number[] = [];
  for (const id of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const [, command, parent] = /\((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${id}/stat`, 'utf8')) ?? [];
      parents.set(Number(id), Number(parent));
      if (command === name) found.push(Number(id));
    } catch {
      // It has ended meanwhile.
    }
  }
  const isBelow = (id: number): boolean => {
    const parent = parents.get(id);
    return parent !== undefined && (parent === process.pid || isBelow(parent));
  };
  return found.filter(isBelow);
}
