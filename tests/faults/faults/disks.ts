// Disks that are full or can only be read, for a while. Both need the right to mount.
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { newHome } from '../../kit/server.ts';
import type { Fault } from '../fault.ts';

const mount = (...args: string[]): void => void execFileSync('mount', args, { stdio: ['ignore', 'ignore', 'pipe'] });
/** Also where something below is still open. */
const unmount = (place: string): void => void execFileSync('umount', ['--lazy', place]);

let mayMount: boolean | undefined;
function unavailable(): string | undefined {
  if (mayMount === undefined) {
    const place = newHome();
    mayMount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=100k', 'tmpfs', place]).status === 0;
    if (mayMount) unmount(place);
    fs.rmdirSync(place);
  }
  return mayMount ? undefined : 'file systems cannot be mounted here; run it as root';
}

/** Takes the last byte. */
function fill(file: string): void {
  const handle = fs.openSync(file, 'w');
  for (const size of [1 << 20, 4096, 1])
    try {
      for (;;) fs.writeSync(handle, Buffer.alloc(size));
    } catch (error) {
      if (Object(error).code !== 'ENOSPC') throw error;
    }
  fs.closeSync(handle);
}

export const fullDisk: Fault = {
  name: 'full-disk',
  says: 'the disk of store and notebooks (a tmpfs) is filled to the last byte, and has room again',
  lastsBelow: 1500,
  unavailable,
  needs: {
    bytes: 'folder',
    async disk(place) {
      mount('-t', 'tmpfs', '-o', 'size=48m', 'tmpfs', place);
      return async () => unmount(place);
    },
  },
  async strike({ disk }) {
    const filler = path.join(disk, 'filler');
    fill(filler);
    return { what: 'the disk is full', lift: async () => fs.rmSync(filler) };
  },
};

/** False when somebody has opened a file for writing through the new mount before it was closed for that. */
function coverReadOnly(disk: string): boolean {
  mount('--bind', disk, disk);
  if (spawnSync('mount', ['-o', 'remount,bind,ro', disk]).status === 0) return true;
  unmount(disk);
  return false;
}

export const readOnlyDisk: Fault = {
  name: 'read-only-disk',
  says: 'a read-only mount lies over the disk: nothing can be opened for writing there, made, renamed or removed; what is open stays',
  lastsBelow: 1500,
  unavailable,
  needs: { bytes: 'folder' },
  async strike({ disk }) {
    while (!coverReadOnly(disk));
    return { what: 'the disk can only be read', lift: async () => unmount(disk) };
  },
};
