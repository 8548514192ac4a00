// The store that a server keeps for everybody: versions, names, publications and what may be collected, over one database
// and one place for bytes.
import path from 'node:path';
import type { Database } from '../database/index.ts';
import type { Blobs } from './blobs/blobs.ts';
import { type Collection, createCollection } from './collect/collect.ts';
import { createImports, type Imports } from './imports.ts';
import { withKeepableTexts } from './keepableTexts.ts';
import { createLateUploads, type LateUploads } from './lateUploads.ts';
import type { StoreParts } from './parts.ts';
import { createPins, type Pins } from './pins.ts';
import { createPublications, type Publications } from './publications/publications.ts';
import { type Aliases, createAliases } from './registry/aliases.ts';
import { createNames, type Names } from './registry/names.ts';
import { createTags, type Tags } from './registry/tags.ts';
import { openStaging, type Staging } from './staging.ts';
import { createVersions, type Versions } from './versions.ts';

export interface Artifacts {
  readonly parts: StoreParts;
  readonly staging: Staging;
  readonly versions: Versions;
  readonly names: Names;
  readonly aliases: Aliases;
  readonly tags: Tags;
  readonly pins: Pins;
  readonly publications: Publications;
  readonly imports: Imports;
  readonly collection: Collection;
  readonly lateUploads: LateUploads;
  close(): Promise<void>;
}

export interface ArtifactsPlace {
  readonly database: Database;
  readonly blobs: Blobs;
  /** Where the local database and arriving bytes lie. */
  readonly artifactDir: string;
  readonly protectedAliases: readonly string[];
  readonly now?: () => number;
}

/** The database stays open after `close`: others use it too. */
export async function openArtifacts(place: ArtifactsPlace): Promise<Artifacts> {
  const { blobs, artifactDir } = place;
  const database = withKeepableTexts(place.database);
  const staging = await openStaging(path.join(artifactDir, 'staging'));
  const parts: StoreParts = { database, blobs, staging, now: place.now ?? database.now };
  const file = database.dialect === 'sqlite' ? path.join(artifactDir, 'artifacts.sqlite') : undefined;
  return {
    parts,
    staging,
    versions: createVersions(parts),
    names: createNames(parts),
    aliases: createAliases(parts, place.protectedAliases),
    tags: createTags(parts),
    pins: createPins(parts),
    publications: createPublications(parts),
    imports: createImports(parts),
    collection: createCollection(parts, file),
    lateUploads: createLateUploads(parts),
    close: () => blobs.close(),
  };
}
