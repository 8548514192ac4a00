// `svc backup` and `svc restore`: notebooks, store and settings in a folder or an object store, where they can be checked, and
// back onto an empty machine.
import fs from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { objectStoreOf, openBlobs } from '../artifacts/index.ts';
import {
  addressOf,
  BackupDamaged,
  type BackupPlace,
  type BackupSource,
  findBackup,
  type Manifest,
  makeBackup,
  openPlace,
  PlaceTaken,
  readBytes,
  restoreBackup,
  TargetUnusable,
  verifyBackups,
  type Watch,
} from '../backup/index.ts';
import { loadSettings, PROJECT_FILE, readProjectSection, type Settings } from '../settings/index.ts';
import { UsageError } from './failure.ts';
import { interruptible } from './interrupt.ts';
import { check } from './options.ts';
import { bytesText, printJson } from './print.ts';
import { clearLine, showLine } from './progressLine.ts';

const places = z.object({
  artifactDir: z.string().optional(),
  notebookDir: z.string().optional(),
  format: z.enum(['human', 'json'], 'human or json'),
});
const backupOptions = places.extend({ verify: z.boolean().default(false), store: z.boolean().default(true) });
const restoreOptions = places.extend({ at: z.string().optional(), settings: z.boolean().default(true) });

/** What the user has to change is told as such; the line of progress goes first. */
async function watched<T>(target: string, work: (place: BackupPlace, watch: Watch) => Promise<T>): Promise<T> {
  const { settings } = loadSettings({ env: process.env, cwd: process.cwd() });
  try {
    const place = await openPlace(target, settings);
    try {
      return await interruptible((signal) => work(place, { signal, onProgress: showLine }));
    } finally {
      await place.close();
    }
  } catch (error) {
    const isTheirs = error instanceof TargetUnusable || error instanceof PlaceTaken || error instanceof BackupDamaged;
    throw isTheirs ? new UsageError(error.message) : error;
  } finally {
    clearLine();
  }
}

export async function backUp(target: string, given: object): Promise<void> {
  const options = check(backupOptions, given);
  if (options.verify) return verify(target, options.format);
  const { settings } = loadSettings({ env: process.env, cwd: process.cwd() });
  const { name, manifest, bytesWritten } = await watched(target, async (place, watch) => {
    const { source, close } = await sourceOf(settings, options);
    try {
      return await makeBackup(place, source, watch);
    } finally {
      await close();
    }
  });
  const counts = countsOf(manifest);
  for (const warning of manifest.warnings) process.stderr.write(`warning: ${warning}\n`);
  if (options.format === 'json')
    return printJson({ backup: name, ...counts, bytes_written: bytesWritten, warnings: manifest.warnings });
  process.stdout.write(`${name}\n${wordsOf(counts)}; ${bytesText(bytesWritten)} were new.\n`);
}

async function sourceOf(
  settings: Settings,
  { artifactDir: named, notebookDir, store: isWanted }: z.infer<typeof backupOptions>,
): Promise<{ source: BackupSource; close(): Promise<void> }> {
  const artifactDir = named ?? settings.artifactDir;
  const file = artifactDir === null ? null : path.join(artifactDir, 'artifacts.sqlite');
  if (isWanted && named === undefined && settings.artifactMetadataDsn !== null) throw new UsageError(ofPostgres);
  const isThere = async (place: string | null): Promise<boolean> =>
    place !== null && (await fs.stat(place).catch(() => undefined)) !== undefined;
  const hasStore = isWanted && artifactDir !== null && file !== null && (await isThere(file));
  const backend = named === undefined ? settings.artifactBlobBackend : 'local';
  const blobs = hasStore ? await openBlobs({ ...settings, artifactBlobBackend: backend }, artifactDir) : undefined;
  const { metadataDb } = settings;
  const notebooks = path.resolve(notebookDir ?? settings.notebookStorageDir);
  const store = hasStore
    ? [path.resolve(artifactDir), ...(backend === 'local' ? [] : [bucketOf(settings, backend)])]
    : [];
  return {
    source: {
      places: [notebooks, ...store],
      notebookDir: notebooks,
      store: blobs && file !== null ? { database: file, blobs } : null,
      catalog: (await isThere(metadataDb)) ? metadataDb : null,
      projectFile: projectFileHere(),
    },
    close: async () => blobs?.close(),
  };
}

function bucketOf(settings: Settings, kind: 's3' | 'gcs' | 'azure'): string {
  const { bucket } = objectStoreOf(kind, settings);
  const prefixes = {
    s3: settings.artifactS3Prefix,
    gcs: settings.artifactGcsPrefix,
    azure: settings.artifactAzurePrefix,
  };
  return addressOf(kind, bucket, prefixes[kind].replace(/\/+$/, ''));
}

/** Null where it says nothing of ours. */
function projectFileHere(): string | null {
  const { path: file, values } = readProjectSection(process.cwd());
  return Object.keys(values).length > 0 ? file : null;
}

const ofPostgres =
  'the metadata of this store lies in PostgreSQL, which has backups of its own: run pg_dump --format=custom on SVC_ARTIFACT_METADATA_DSN first, copy the bytes (SVC_ARTIFACT_DIR/blobs, or the bucket) after it, and give --no-store here for notebooks and settings.';

const countsOf = ({ folders, store }: Manifest) => ({
  notebooks: folders.filter(({ isNotebook }) => isNotebook).length,
  files: folders.reduce((sum, { files }) => sum + files.length, 0),
  stored: store ? store.blobs.length : null,
});

const wordsOf = ({ notebooks, files, stored }: ReturnType<typeof countsOf>): string =>
  `${notebooks} notebooks with ${files} files, ${stored === null ? 'no store' : `a store with ${stored} values`}`;

async function verify(target: string, format: 'human' | 'json'): Promise<void> {
  const { backups, objects, bytes, damages } = await watched(target, verifyBackups);
  if (backups.length === 0) throw new UsageError(`there is no whole backup in ${target}`);
  if (format === 'json') printJson({ backups, objects, bytes, damages });
  else {
    for (const { backup, what, problem } of damages) process.stdout.write(`${backup}  ${what}: ${problem}\n`);
    const end =
      damages.length === 0 ? 'all as they were written.' : 'Make a new backup elsewhere, and look at where it lies.';
    process.stdout.write(`${backups.length} backups, ${objects} objects with ${bytesText(bytes)}: ${end}\n`);
  }
  if (damages.length > 0) process.exitCode = 1;
}

export async function restore(target: string, given: object): Promise<void> {
  const options = check(restoreOptions, given);
  const restored = await watched(target, async (place, watch) => {
    const { name, manifest } = await findBackup(place, options.at);
    const takeBack = options.settings ? await writeSettings(place, manifest) : undefined;
    try {
      const { settings } = loadSettings({ env: process.env, cwd: process.cwd() });
      const { to, close } = await targetOf(settings, options, manifest);
      try {
        await restoreBackup(place, manifest, to, watch);
      } finally {
        await close();
      }
      return { name, counts: countsOf(manifest), to };
    } catch (error) {
      await takeBack?.();
      throw error;
    }
  });
  const { name, counts, to } = restored;
  if (options.format === 'json')
    return printJson({ backup: name, ...counts, notebook_dir: to.notebookDir, artifact_dir: to.artifactDir });
  process.stdout.write(`${name}\n${wordsOf(counts)}, in ${to.notebookDir} and ${to.artifactDir}.\n`);
}

/** The settings come first: they say where everything else belongs. Gives how they are taken back. */
async function writeSettings(place: BackupPlace, { settings }: Manifest): Promise<(() => Promise<void>) | undefined> {
  if (!settings) return undefined;
  const wanted = await readBytes(place, settings);
  const there = await fs.readFile(PROJECT_FILE).catch(() => undefined);
  if (there?.equals(wanted)) return undefined;
  if (there)
    throw new UsageError(
      `${PROJECT_FILE} is there already and differs; run in another folder, or give --no-settings to keep it.`,
    );
  await fs.writeFile(PROJECT_FILE, wanted, { flag: 'wx', mode: 0o600 });
  return () => fs.rm(PROJECT_FILE, { force: true });
}

async function targetOf(settings: Settings, options: z.infer<typeof restoreOptions>, { store }: Manifest) {
  const artifactDir = options.artifactDir ?? settings.artifactDir;
  const isLocal = options.artifactDir !== undefined;
  if (store && !isLocal && settings.artifactMetadataDsn !== null)
    throw new UsageError(
      'the backup holds a local store, and the settings name a PostgreSQL database; give --artifact-dir, then copy its rows with svc migrate.',
    );
  const isInObjects = store !== null && !isLocal && settings.artifactBlobBackend !== 'local' && artifactDir !== null;
  const objectStore = isInObjects ? await openBlobs(settings, artifactDir) : null;
  const to = {
    notebookDir: path.resolve(options.notebookDir ?? settings.notebookStorageDir),
    artifactDir: artifactDir === null ? null : path.resolve(artifactDir),
    objectStore,
    catalog: settings.metadataDb,
  };
  return { to, close: async () => objectStore?.close() };
}
