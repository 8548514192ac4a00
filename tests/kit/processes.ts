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
