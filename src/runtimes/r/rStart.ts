// What an R process finds when it starts: its environment, the profiles that it reads, the libraries that packages come from.
// One that waited is of use for as long as one that is started now would find the same.
import fs from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { type RProcessOptions, rEnvironment } from './rProcess.ts';

export interface RStart {
  /** What the process says of the libraries that it has seen. */
  looked(libraries: string): void;
  isStillTrue(): Promise<boolean>;
}

const librariesSchema = z.array(z.object({ folder: z.string(), changed: z.number().nullable() }));

export async function startOf(directory: string, how: Pick<RProcessOptions, 'policy' | 'user'>): Promise<RStart> {
  const before = await found(directory, how);
  let libraries: z.infer<typeof librariesSchema> = [];
  return {
    looked(text) {
      if (text !== '') libraries = librariesSchema.parse(JSON.parse(text));
    },
    async isStillTrue() {
      const changed = await Promise.all(libraries.map(({ folder }) => changedAt(folder)));
      // R tells seconds as a fraction.
      const isSame = libraries.every((one, at) => Math.abs((one.changed ?? 0) * 1000 - (changed[at] ?? 0)) < 1);
      return isSame && (await found(directory, how)) === before;
    },
  };
}

async function found(directory: string, how: Pick<RProcessOptions, 'policy' | 'user'>): Promise<string> {
  const env = rEnvironment(how);
  const own = ['.Rprofile', '.Renviron', 'renv/activate.R', 'renv/settings.json', 'renv/settings.dcf'];
  const ofUser =
    env.HOME === undefined ? [] : ['.Rprofile', '.Renviron'].map((name) => path.join(env.HOME ?? '', name));
  const named = [env.R_PROFILE_USER, env.R_ENVIRON_USER].filter((file) => file !== undefined);
  const files = [...own.map((name) => path.join(directory, name)), ...ofUser, ...named];
  return JSON.stringify([env, await Promise.all(files.map(stampOf))]);
}

const stampOf = (file: string): Promise<string> =>
  fs.stat(file, { bigint: true }).then(
    ({ ino, size, mtimeNs, ctimeNs }) => `${ino}:${size}:${mtimeNs}:${ctimeNs}`,
    () => '',
  );

const changedAt = (folder: string): Promise<number> =>
  fs.stat(folder).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
