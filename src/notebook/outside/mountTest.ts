// Whether a mount can be opened as it is written, and how much lies there; for whoever sets one up.
import fs from 'node:fs/promises';
import { hiding, Refusal, refusals, secretsIn } from '../../errors/index.ts';
import { notebookEnv } from '../annotations/index.ts';
import type { Mount, Notebook } from '../document/index.ts';
import { CellRefused } from '../languages/index.ts';
import { isLocalMount, placeOf } from './localMounts.ts';
import { openingOptions } from './mountRules.ts';
import { type RemoteMountParts, told } from './remoteMounts.ts';

export interface MountFound {
  /** Files, or for a folder of this machine what lies right in it. */
  readonly files: number;
  /** Null where counting would mean walking through everything. */
  readonly bytes: number | null;
}

export interface MountTestParts extends Omit<RemoteMountParts, 'isElsewhere'> {
  /** Why a folder of this machine may not be mounted; null when it may. */
  readonly objection: (place: string) => string | null;
}

export async function testMount(
  parts: MountTestParts,
  mount: Mount,
  notebook: Notebook,
  signal: AbortSignal,
): Promise<MountFound> {
  try {
    return isLocalMount(mount)
      ? await testFolder(parts, mount, notebook.directory)
      : await testStore(parts, mount, notebook, signal);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw error instanceof CellRefused ? refusals.mountUnusable(error.message) : error;
  }
}

async function testFolder({ objection }: MountTestParts, mount: Mount, directory: string): Promise<MountFound> {
  const place = placeOf(mount, directory);
  const problem = objection(place);
  if (problem !== null) throw refusals.mountUnusable(problem);
  const found = await fs.stat(place).catch(() => undefined);
  if (found?.isFile()) return { files: 1, bytes: found.size };
  if (found) return { files: (await fs.readdir(place)).length, bytes: null };
  // A cell that writes makes it.
  if (mount.mode === 'rw') return { files: 0, bytes: 0 };
  throw refusals.mountUnusable(
    `There is no file or folder at ${mount.uri}. Check the address, or make the folder first.`,
  );
}

async function testStore(
  parts: MountTestParts,
  mount: Mount,
  notebook: Notebook,
  signal: AbortSignal,
): Promise<MountFound> {
  let hide = hiding([]);
  return told(
    mount,
    signal,
    async () => {
      const options = openingOptions(parts, mount, { directory: notebook.directory, env: notebookEnv(notebook) });
      hide = hiding(secretsIn(options));
      const { files, bytes } = await parts.mounts.look({ ...mount, options }, signal);
      return { files, bytes };
    },
    (text) => hide(text),
  );
}
