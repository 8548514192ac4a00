// Whether what lies in a place of backups is what was written: manifests by the digests in their names, objects by their own,
// rows of databases by the bytes that they name.
import { blobNameOf, finishedVersions } from '../artifacts/index.ts';
import { readSqlite } from '../database/index.ts';
import { bytesIn, type Manifest, manifestNames, type RowsCopy, readManifest } from './manifest.ts';
import { readObject } from './objects.ts';
import { type BackupPlace, type Bytes, objectName, type Watch } from './place.ts';

export interface Damage {
  readonly backup: string;
  readonly what: string;
  readonly problem: string;
}

export interface Verified {
  readonly backups: readonly string[];
  readonly objects: number;
  readonly bytes: number;
  readonly damages: readonly Damage[];
}

export async function verifyBackups(place: BackupPlace, { signal, onProgress }: Watch): Promise<Verified> {
  const names = await manifestNames(place);
  const damages: Damage[] = [];
  const looked = new Map<string, string | undefined>();
  let bytes = 0;
  for (const name of names) {
    const manifest = await readManifest(place, name).catch((error: unknown) => {
      damages.push({ backup: name, what: 'manifest', problem: reasonOf(error) });
    });
    if (!manifest) continue;
    for (const object of bytesIn(manifest)) {
      signal.throwIfAborted();
      if (!looked.has(object.sha256)) {
        onProgress(`${looked.size} objects: ${object.what}`);
        looked.set(object.sha256, await problemOf(place, object));
        bytes += object.bytes;
      }
      const problem = looked.get(object.sha256);
      if (problem !== undefined) damages.push({ backup: name, what: object.what, problem });
    }
    if (damages.every(({ backup }) => backup !== name)) damages.push(...(await lacking(place, name, manifest)));
  }
  return { backups: names, objects: looked.size, bytes, damages };
}

async function problemOf(place: BackupPlace, object: Bytes): Promise<string | undefined> {
  if ((await place.sizeOf(object.sha256)) === undefined) return `${objectName(object.sha256)} is missing`;
  try {
    for await (const _ of readObject(place, object));
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

async function lacking(place: BackupPlace, backup: string, manifest: Manifest): Promise<Damage[]> {
  const stores = [
    ...manifest.folders.map(({ path, results }) => ({ what: path, rows: results })),
    { what: 'store', rows: manifest.store },
  ];
  const damages: Damage[] = [];
  for (const { what, rows } of stores) {
    const names = rows ? await namesLacking(place, rows) : [];
    // What was missing where it was copied from was told then.
    const isTold = manifest.warnings.some((warning) => warning.startsWith(`${what}: the bytes of `));
    if (!isTold) for (const name of names) damages.push({ backup, what, problem: `blobs/${name} is not in it` });
  }
  return damages;
}

async function namesLacking(place: BackupPlace, { database, blobs }: RowsCopy): Promise<string[]> {
  const there = new Set(blobs.map(({ name }) => name));
  const names = await place.withFile(database, namesIn);
  return names.filter((name) => !there.has(name));
}

async function namesIn(file: string): Promise<string[]> {
  const rows = readSqlite(file);
  try {
    const small = new Set(
      await rows.all(
        'SELECT artifact_id, version FROM artifact_bytes',
        [],
        (row) => `${row.artifact_id}@v=${row.version}`,
      ),
    );
    const names: string[] = [];
    for await (const version of finishedVersions(rows))
      if (!version.canonical && !small.has(`${version.id}@v=${version.version}`)) names.push(blobNameOf(version));
    return names;
  } finally {
    await rows.close();
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
