// How much of the processor this machine was given: on shared hosts others may take most of it for minutes.
import fs from 'node:fs';

/** @typedef {{ used: number, idle: number, stolen: number }} Ticks */

/**
 * What was used, left over and withheld since the machine started, in ticks; nothing where the kernel does not tell.
 * @returns {Ticks}
 */
export function processorTicks() {
  try {
    const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, softIrq = 0, stolen = 0] =
      fs.readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.split(/\s+/).slice(1).map(Number) ?? [];
    return { used: user + nice + system + irq + softIrq, idle: idle + waiting, stolen };
  } catch {
    return { used: 0, idle: 0, stolen: 0 };
  }
}

/**
 * The share of the processor time that was wanted in between and went to somebody else.
 * @param {Ticks} before
 * @param {Ticks} after
 */
export function withheldShare(before, after) {
  const stolen = after.stolen - before.stolen;
  const wanted = stolen + after.used - before.used;
  return wanted > 0 ? stolen / wanted : 0;
}

/**
 * The share of the processor that nobody wanted in between: none where the kernel does not tell.
 * @param {Ticks} before
 * @param {Ticks} after
 */
export function idleShare(before, after) {
  const idle = after.idle - before.idle;
  const all = idle + (after.used - before.used) + (after.stolen - before.stolen);
  return all > 0 ? idle / all : 0;
}
