// Takes values out of the block of variables that the system shows of a process (`/proc/PID/environ`), to whoever is the same
// user. Deleting a variable leaves the block as it was; only its memory tells. Linux alone shows it, and elsewhere nothing is
// done. Plain JavaScript: launchers run on an older Node.
import fs from 'node:fs';

/** @param {number} pid @param {(name: string) => boolean} isSecret @returns {boolean} whether nothing of it is shown any more */
export function clearEnvironment(pid, isSecret) {
  if (process.platform !== 'linux') return false;
  try {
    // Its name may hold anything, spaces and parentheses too: fields are counted from behind the last one.
    const fields = fs
      .readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    const [start, end] = [Number(fields[47]), Number(fields[48])];
    const memory = fs.openSync(`/proc/${pid}/mem`, 'r+');
    try {
      const block = Buffer.alloc(end - start);
      fs.readSync(memory, block, 0, block.length, start);
      for (let at = 0; at < block.length; ) {
        const over = block.indexOf(0, at) < 0 ? block.length : block.indexOf(0, at);
        const value = block.indexOf('=', at) + 1;
        if (value > at && value < over && isSecret(block.toString('latin1', at, value - 1)))
          fs.writeSync(memory, Buffer.alloc(over - value), 0, over - value, start + value);
        at = over + 1;
      }
      return true;
    } finally {
      fs.closeSync(memory);
    }
  } catch {
    return false;
  }
}
