// Mounts of local files and folders: read and written where they lie. What a read-only one holds is told by names, sizes and
// times, which a walk finds without reading; one that is written to has no fingerprint, and its cell is never served again.
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { walkedStamp } from '../../files/index.ts';
import { mountsOf } from '../annotations/index.ts';
import type { Mount } from '../document/index.ts';
import { mountRefused } from './mountRules.ts';
import type { Found, OutsideReader } from './outside.ts';

export interface LocalMountParts {
  /** Why a folder of this machine may not be mounted; null when it may. */
  readonly objection: (place: string) => string | null;
  /** Gives a folder that was made for a cell to whoever runs it. */
  readonly lend: (folder: string) => Promise<void>;
}

export const isLocalMount = ({ uri }: Pick<Mount, 'uri'>): boolean => uri.startsWith('file://') || !uri.includes('://');

export function localMountReader({ objection, lend }: LocalMountParts): OutsideReader {
  async function find(mount: Mount, directory: string): Promise<Found> {
    const place = placeOf(mount, directory);
    const problem = objection(place);
    if (problem !== null) throw mountRefused(mount, problem);
    // A folder that was there before is its owner's, who says who may write to it.
    const made = mount.mode === 'rw' ? await fs.mkdir(place, { recursive: true }).catch(() => undefined) : undefined;
    if (made !== undefined) await lend(made);
    const fingerprint =
      mount.mode === 'rw' ? 'rw' : mount.pin === null ? await walkedStamp(place) : sha(`pin:${mount.pin}`);
    return {
      name: mount.name,
      fingerprint: `${mount.name}:${mount.uri}:${fingerprint}`,
      input: { contentType: 'file/path', file: place },
    };
  }

  return {
    asks(work) {
      const mounts = mountsOf(work).filter(isLocalMount);
      return mounts.length === 0 ? null : JSON.stringify(mounts);
    },
    look: (work) =>
      Promise.all(
        mountsOf(work)
          .filter(isLocalMount)
          .map((mount) => find(mount, work.notebook.directory)),
      ),
  };
}

export function placeOf(mount: Mount, directory: string): string {
  try {
    return mount.uri.startsWith('file://') ? fileURLToPath(mount.uri) : path.resolve(directory, mount.uri);
  } catch {
    throw mountRefused(mount, `'${mount.uri}' names no place on this machine; write file:///absolute/path`);
  }
}

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');
