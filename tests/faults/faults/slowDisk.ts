// A disk that takes nothing for a fifth of a second, again and again: whoever writes or syncs waits in the kernel meanwhile. Needs the
// right to mount, and loop devices.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { newHome } from '../../kit/server.ts';
import type { Fault } from '../fault.ts';

const run = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

/** A file system in a file beside the place. */
function mountImage(place: string): boolean {
  const image = `${place}.image`;
  fs.writeFileSync(image, '');
  fs.truncateSync(image, 256 << 20);
  return run('mkfs.ext4', '-q', image) && run('mount', '-o', 'loop', image, place);
}

function unmountImage(place: string): void {
  run('umount', '--lazy', place);
  fs.rmSync(`${place}.image`, { force: true });
}

let isThere: boolean | undefined;
function unavailable(): string | undefined {
  if (isThere === undefined) {
    const place = newHome();
    isThere = mountImage(place) && run('fsfreeze', '-f', place) && run('fsfreeze', '-u', place);
    unmountImage(place);
    fs.rmdirSync(place);
  }
  return isThere ? undefined : 'no file system in a file can be mounted and held here; run it as root, with mkfs.ext4';
}

/** In a process of its own, and never for long: whoever would let go again may wait for the disk itself. */
const stutter = `for turn in 1 2 3 4 5 6 7 8; do fsfreeze -f "$1"; sleep 0.2; fsfreeze -u "$1"; sleep 0.05; done`;

export const slowDisk: Fault = {
  name: 'slow-disk',
  says: 'the disk of store and notebooks takes no writes and syncs for 200 of each 250 ms (a file system that is frozen)',
  lastsBelow: 1500,
  unavailable,
  needs: {
    bytes: 'folder',
    async disk(place) {
      if (!mountImage(place)) throw new Error('The file system in a file could not be mounted.');
      return async () => unmountImage(place);
    },
  },
  async strike({ disk }) {
    const child = spawn('sh', ['-c', stutter, 'sh', path.resolve(disk)], { stdio: 'ignore' });
    const ended = once(child, 'exit');
    return { what: 'the disk is slow', lift: async () => void (await ended) };
  },
};
