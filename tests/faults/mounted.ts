// The mount of a round: a folder that cells write to, and that is read afterwards by other means than the service's.
import fs from 'node:fs';
import path from 'node:path';
import { placeIn } from '../../src/mounts/storageOptions.ts';
import { openStore, textOf } from '../kit/mounts.ts';
import { bucket } from '../kit/objectStores.ts';
import type { Environment } from '../kit/server.ts';
import type { NeighbourStore } from './surroundings.ts';

export interface MountedFolder {
  /** The line that gives it to a cell as `shelf`. */
  readonly line: string;
  readonly env: Environment;
  /** Undefined where nothing has that name. */
  read(name: string): Promise<string | undefined>;
}

const credential = 'shelf';

export const folderOnDisk = (place: string): MountedFolder => ({
  line: `# @mount shelf file://${place} rw`,
  env: {},
  read: async (name) => {
    const file = path.join(place, name);
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined;
  },
});

export function folderInStore({ settings }: NeighbourStore, name: string): MountedFolder {
  const uri = `s3://${bucket}/mounted/${name}`;
  const options = { key: 'tests', secret: 'tests', endpoint_url: settings.SVC_S3_ENDPOINT_URL ?? '' };
  return {
    line: `# @mount shelf ${uri} rw credential=${credential}`,
    env: { SVC_NOTEBOOK_CREDENTIALS: JSON.stringify({ [credential]: options }) },
    async read(file) {
      const place = placeIn(uri);
      if (!place) throw new Error(`${uri} is no place in a store`);
      const store = await openStore(place, options);
      return textOf(store, `mounted/${name}/${file}`).catch(() => undefined);
    },
  };
}
