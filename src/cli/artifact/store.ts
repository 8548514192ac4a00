// The store that an `svc artifact` command works on: the one the server is configured with, or a folder. It must be there
// already, at this program's schema; no command makes or changes one by looking.
import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import {
  type Artifacts,
  type ArtifactVersion,
  openArtifacts,
  openBlobs,
  parseAddress,
  versionOf,
} from '../../artifacts/index.ts';
import { openExistingMetadata, text } from '../../database/index.ts';
import { loadSettings, type Settings } from '../../settings/index.ts';
import { UsageError } from '../failure.ts';

export const storeOptions = z.object({ artifactDir: z.string().optional(), tenant: z.string().optional() });
export type StoreOptions = z.infer<typeof storeOptions>;

export interface OpenedStore {
  readonly artifacts: Artifacts;
  readonly artifactDir: string;
  readonly settings: Settings;
}

/** A folder that is named is read as it lies there, whatever the settings say. */
export async function withStore<T>(options: StoreOptions, work: (store: OpenedStore) => Promise<T>): Promise<T> {
  const { settings } = loadSettings({ env: process.env, cwd: process.cwd() });
  const named = options.artifactDir !== undefined;
  const artifactDir = options.artifactDir ?? settings.artifactDir;
  if (artifactDir === null) throw new UsageError('which store? Give --artifact-dir, or set SVC_ARTIFACT_DIR.');
  const dsn = named ? undefined : (settings.artifactMetadataDsn ?? undefined);
  if (dsn === undefined && !fs.existsSync(path.join(artifactDir, 'artifacts.sqlite')))
    throw new UsageError(`there is no artifact store in ${artifactDir}`);
  const database = await openExistingMetadata({ artifactDir, dsn });
  try {
    const blobSettings = named ? { ...settings, artifactBlobBackend: 'local' as const } : settings;
    const artifacts = await openArtifacts({
      database,
      blobs: await openBlobs(blobSettings, artifactDir),
      artifactDir,
      protectedAliases: settings.registryProtectedAliases,
    });
    try {
      return await work({ artifacts, artifactDir, settings });
    } finally {
      await artifacts.close();
    }
  } finally {
    await database.close();
  }
}

/** `id@v=N`, a name, `name@alias` or a bare id for its latest version, tried in that order. */
export async function findReference(
  { parts, versions, names, aliases }: Artifacts,
  reference: string,
  tenant: string | undefined,
): Promise<ArtifactVersion> {
  const { database } = parts;
  const address = parseAddress(reference);
  const exact = address && (await versions.get(address));
  if (exact) return exact;
  const tenants = await database.all(
    'SELECT DISTINCT tenant FROM artifact_names WHERE name = ? UNION SELECT DISTINCT tenant FROM artifact_aliases WHERE name = ?',
    [reference, reference.slice(0, Math.max(0, reference.lastIndexOf('@')))],
    (row) => text(row, 'tenant'),
  );
  const chosen = tenant === undefined ? tenants : tenants.filter((one) => one === tenant);
  if (chosen.length > 1)
    throw new Error(`'${reference}' is a name of several tenants (${tenants.join(', ')}); say which with --tenant.`);
  const [owner] = chosen;
  if (owner !== undefined) {
    const at = reference.lastIndexOf('@');
    const pointer =
      (await names.find(owner, reference)) ??
      (at > 0 ? await aliases.find(owner, reference.slice(0, at), reference.slice(at + 1)) : undefined);
    const pointed = pointer && (await versions.get(pointer));
    if (pointed) return pointed;
  }
  const latest = await database.get(
    'SELECT * FROM artifact_versions WHERE id = ? ORDER BY version DESC LIMIT 1',
    [reference],
    versionOf,
  );
  if (!latest) throw new Error(`Nothing in the store is called '${reference}'.`);
  return latest;
}
