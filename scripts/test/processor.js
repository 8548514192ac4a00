// How much of the processor this machine was given: on shared hosts others may take most of it for minutes.
import fs from 'node:fs';

/** What was used and what was withheld since the machine started, in ticks; nothing where the kernel does not tell. */
export function processorTicks() {
  try {
    const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, stolen = 0] =
      fs.readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.split(/\s+/).slice(1).map(Number) ?? [];
    return { used: user + nice + system + irq + softIrq, stolen };
  } catch {
    return { used: 0, stolen: 0 };
  }
}

/**
 * The share of the processor time that was wanted in between and went to somebody else.
 * @param {{ used: number, stolen: number }} before
 * @param {{ used: number, stolen: number }} after
 */
export function withheldShare(before, after) {
  const stolen = after.stolen - before.stolen;
  const wanted = stolen + after.used - before.used;
  return wanted > 0 ? stolen / wanted : 0;
}
