// Backups in a folder. Only one process at a time adds to it.
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { inTurn, syncFolder } from '../files/index.ts';
import { type Additions, type BackupPlace, objectName, refuseInside, TargetUnusable } from './place.ts';

const ours = new Set(['backups', 'objects', 'incoming', 'lock', 'lock-journal']);

export function folderPlace(named: string): BackupPlace {
  const target = path.resolve(named);
  const manifests = path.join(target, 'backups');
  const objects = path.join(target, 'objects');
  const incoming = path.join(target, 'incoming');
  const objectFile = (sha256: string): string => path.join(target, objectName(sha256));
  const sizeOf = async (sha256: string): Promise<number | undefined> =>
    (await fs.stat(objectFile(sha256)).catch(() => undefined))?.size;

  function additions(): Additions {
    const touched = new Set<string>();
    const scratch = (): string => path.join(incoming, randomUUID());
    return {
      scratch,
      has: async ({ sha256, bytes }) => (await sizeOf(sha256)) === bytes,
      async adopt({ sha256 }, file) {
        await syncFile(file);
        const object = objectFile(sha256);
        await fs.mkdir(path.dirname(object), { recursive: true, mode: 0o700 });
        await fs.rename(file, object);
        touched.add(path.dirname(object));
      },
      async conclude(name, text) {
        for (const folder of [...touched, objects]) await syncFolder(folder);
        const waiting = scratch();
        await fs.writeFile(waiting, text, { flag: 'wx', mode: 0o600, flush: true });
        await fs.rename(waiting, path.join(manifests, name));
        await syncFolder(manifests);
        await syncFolder(target);
      },
    };
  }

  return {
    name: target,
    manifests: () => fs.readdir(manifests).catch(() => []),
    readManifest: (name) => fs.readFile(path.join(manifests, name)),
    sizeOf,
    read: (sha256) => createReadStream(objectFile(sha256)),
    withFile: ({ sha256 }, work) => work(objectFile(sha256)),
    async write(copied, { signal, onProgress }, work) {
      await refuseForeign(target, copied);
      for (const folder of [target, manifests, objects]) await fs.mkdir(folder, { recursive: true, mode: 0o700 });
      const onWait = (): void => onProgress('another backup is being made there; waiting for its end');
      const add = async () => {
        // What lies there is what a killed one left.
        await fs.rm(incoming, { recursive: true, force: true });
        await fs.mkdir(incoming, { mode: 0o700 });
        try {
          return await work(additions());
        } finally {
          await fs.rm(incoming, { recursive: true, force: true });
        }
      };
      return inTurn(path.join(target, 'lock'), add, { signal, onWait });
    },
    close: async () => {},
  };
}

async function refuseForeign(target: string, copied: readonly string[]): Promise<void> {
  refuseInside(target, copied);
  const there = await fs.readdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new TargetUnusable(`${target} cannot be used (${error.code}); choose a folder that you may write to.`);
  });
  const foreign = there.find((name) => !ours.has(name));
  if (foreign !== undefined)
    throw new TargetUnusable(`${target} holds ${foreign}, which is of no backup; choose an empty folder.`);
}

async function syncFile(file: string): Promise<void> {
  const handle = await fs.open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
