// Bytes of artifacts as files of one folder. A file is complete and on disk before anybody is told its name.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { ArtifactAddress } from './types.ts';

export interface LocalBlobs {
  pathOf(address: ArtifactAddress): string;
  /** Moves finished files in, all of them durable when it resolves. */
  adopt(files: readonly { readonly address: ArtifactAddress; readonly file: string }[]): Promise<void>;
  remove(address: ArtifactAddress): Promise<void>;
  /** Removes every file that none of the addresses names. */
  sweep(kept: Iterable<ArtifactAddress>): Promise<number>;
  close(): Promise<void>;
}

const longestName = 200;

export async function openLocalBlobs(folder: string): Promise<LocalBlobs> {
  await fs.mkdir(folder, { recursive: true });
  const names = await fs.open(folder, 'r');
  const nameOf = ({ id, version }: ArtifactAddress): string => {
    const fits = Buffer.byteLength(id) <= longestName && !/[/\0]/.test(id);
    const stem = fits ? id : `~${createHash('sha256').update(id).digest('hex')}`;
    return `${stem}@v=${version}.arrow`;
  };
  const pathOf = (address: ArtifactAddress): string => path.join(folder, nameOf(address));
  return {
    pathOf,
    async adopt(files) {
      await Promise.all(files.map(({ file }) => syncFile(file)));
      await Promise.all(files.map(({ address, file }) => fs.rename(file, pathOf(address))));
      if (files.length > 0) await names.sync();
    },
    remove: (address) => fs.rm(pathOf(address), { force: true }),
    async sweep(kept) {
      const known = new Set([...kept].map(nameOf));
      const orphans = (await fs.readdir(folder)).filter((name) => !known.has(name));
      await Promise.all(orphans.map((name) => fs.rm(path.join(folder, name), { recursive: true, force: true })));
      return orphans.length;
    },
    close: () => names.close(),
  };
}

async function syncFile(file: string): Promise<void> {
  // A link would have the store serve what its maker could not read.
  const handle = await fs.open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
