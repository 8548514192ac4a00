// Artifact stores for tests: on either database, with bytes on disk, and small results to fill them with.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import { type Artifacts, type Blobs, openArtifacts, openLocalBlobs } from '../../src/artifacts/index.ts';
import { openMetadata } from '../../src/database/index.ts';
import { startPostgres } from './postgres.ts';
import { newHome } from './server.ts';

export interface TestStore extends AsyncDisposable {
  readonly artifacts: Artifacts;
  readonly folder: string;
  /** Moves the store's clock, in seconds. */
  wait(seconds: number): void;
}

export async function openTestStore(
  options: { dsn?: string; blobs?: Blobs; protectedAliases?: readonly string[] } = {},
): Promise<TestStore> {
  const folder = newHome();
  const database = await openMetadata({ artifactDir: folder, dsn: options.dsn });
  let waited = 0;
  const artifacts = await openArtifacts({
    database,
    blobs: options.blobs ?? (await openLocalBlobs(path.join(folder, 'blobs'))),
    artifactDir: folder,
    protectedAliases: options.protectedAliases ?? [],
    now: () => Date.now() / 1000 + waited,
  });
  return {
    artifacts,
    folder,
    wait: (seconds) => {
      waited += seconds;
    },
    async [Symbol.asyncDispose]() {
      await artifacts.close();
      await database.close();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Both databases, by name; PostgreSQL is undefined where it is missing. */
export const databases: Record<string, (t: TestContext) => Promise<TestStore | undefined>> = {
  SQLite: () => openTestStore({ protectedAliases: ['production'] }),
  PostgreSQL: async (t) => {
    const postgres = await startPostgres(t);
    if (!postgres) return undefined;
    const store = await openTestStore({ dsn: postgres.dsn, protectedAliases: ['production'] });
    return {
      ...store,
      async [Symbol.asyncDispose]() {
        await store[Symbol.asyncDispose]();
        await postgres[Symbol.asyncDispose]();
      },
    };
  },
};

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

export interface TestResult {
  readonly id?: string | null;
  readonly key?: string;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly tenant?: string;
  readonly name?: string | null;
}

/** Stores a few bytes as the result of the computation `key`. */
export async function keep(artifacts: Artifacts, content: string, result: TestResult = {}) {
  const bytes = await artifacts.staging.receive(Readable.from([Buffer.from(content)]), 1_000_000);
  return artifacts.versions.keep(
    {
      id: result.id ?? null,
      provenanceHash: hashOf(result.key ?? content),
      transformSpec: '{"executor": "test@v1", "inputs": [], "params": {}}',
      inputVersions: result.inputs ? JSON.stringify(result.inputs) : null,
      tenant: result.tenant ?? '',
      principal: null,
      schema: null,
      rowCount: null,
      name: result.name ?? null,
    },
    bytes,
  );
}

export async function contentOf(
  artifacts: Artifacts,
  address: { readonly id: string; readonly version: number },
): Promise<string | undefined> {
  const version = await artifacts.versions.get(address);
  const blob = version && (await artifacts.versions.open(version));
  if (!blob) return undefined;
  return Buffer.concat(await (await blob.read()).toArray()).toString();
}

export const blobFiles = ({ folder }: TestStore): string[] => fs.readdirSync(path.join(folder, 'blobs'));
