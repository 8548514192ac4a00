// The artifact store of this server: opened from the settings, tidied at the start, swept from time to time.
import {
  type Artifacts,
  createTeamStore,
  createTeamValues,
  type NameSource,
  openArtifacts,
  openBlobs,
  ownNames,
  type Policy,
  type TeamStore,
  teamNames,
} from '../artifacts/index.ts';
import type { Database } from '../database/index.ts';
import type { Caller } from '../identity/index.ts';
import { createTeamLink, type TeamLink } from '../notebook/index.ts';
import { type Log, traceHeaders } from '../observability/index.ts';
import type { Settings } from '../settings/index.ts';

export interface ServedArtifacts {
  readonly store: Artifacts;
  close(): Promise<void>;
}

const firstSweepSeconds = 60;
const stagedImportSeconds = 86_400;
const lateSweepMilliseconds = 15_000;

export async function openServerStore(database: Database, settings: Settings, log: Log): Promise<ServedArtifacts> {
  const artifactDir = settings.artifactDir ?? '';
  const store = await openArtifacts({
    database,
    blobs: await openBlobs(settings, artifactDir),
    artifactDir,
    protectedAliases: settings.registryProtectedAliases,
  });
  const stuckBefore = store.parts.now() - settings.artifactZombieBuildTimeoutSeconds;
  const failed = await store.versions.failUnfinished(stuckBefore);
  if (failed > 0) log.warning('Builds that never finished were marked as failed', { count: failed });
  const sweeps = startSweeps(store, settings, log);
  const late = settings.artifactPresignedUrls ? startLateSweeps(store, log) : undefined;
  return {
    store,
    async close() {
      clearInterval(late);
      await sweeps.stop();
      await store.close();
    },
  };
}

/** What the settings say about collecting; 0 is no limit. */
export const configuredPolicy = (settings: Settings): Policy => ({
  maxIdleDays: settings.artifactGcMaxIdleDays || null,
  maxBytes: settings.artifactGcMaxBytes || null,
  minIdleSeconds: settings.artifactGcMinIdleSeconds,
  collectLatest: false,
});

/** One sweep at a time, the first soon after the start. */
function startSweeps(store: Artifacts, settings: Settings, log: Log): { stop(): Promise<void> } {
  const interval = settings.artifactGcIntervalSeconds;
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function sweep(): Promise<void> {
    try {
      await store.imports.sweep(store.parts.now() - stagedImportSeconds);
      const { deletedCount, deletedBytes } = await store.collection.collect(configuredPolicy(settings));
      const orphans = await store.collection.sweepOrphans();
      if (deletedCount + orphans > 0)
        log.info('Artifacts were collected', { count: deletedCount, bytes: deletedBytes, orphans });
    } catch (error) {
      log.warning('The artifact store could not be swept', { error });
    }
    if (!stopped) schedule(interval);
  }

  function schedule(inSeconds: number): void {
    timer = setTimeout(() => {
      running = sweep();
    }, inSeconds * 1000).unref();
  }

  if (interval > 0) schedule(Math.min(interval, firstSweepSeconds));
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** What came to addresses of the object store that nobody waits for any more. */
function startLateSweeps({ lateUploads }: Artifacts, log: Log): NodeJS.Timeout {
  const sweep = (): Promise<unknown> =>
    lateUploads.sweep().catch((error: unknown) => log.warning('Late uploads could not be removed', { error }));
  return setInterval(() => void sweep(), lateSweepMilliseconds).unref();
}

export const teamStoreOf = (settings: Settings): TeamStore | undefined =>
  settings.notebookRemoteStoreUrl === null
    ? undefined
    : createTeamStore({
        url: settings.notebookRemoteStoreUrl,
        headers: settings.notebookRemoteStoreHeaders,
        principalHeader: settings.notebookRemoteStoreForwardPrincipal ? settings.principalHeader : null,
        traceHeaders,
      });

/** A team's store answers for names where there is one. */
export function nameSourceOf(
  { tenant, principal }: Caller,
  team: TeamStore | undefined,
  own: Artifacts | undefined,
): NameSource | undefined {
  if (team) return teamNames(team, principal);
  return own && ownNames(own, tenant ?? '');
}

/** The way to results of colleagues, where the settings open it. */
export function teamLinkOf(settings: Settings, team: TeamStore | undefined, log: Log): TeamLink | undefined {
  const { notebookTeamCacheEnabled: enabled, notebookTeamCachePublish: policy } = settings;
  if (!team || !enabled || policy === 'off') return undefined;
  return createTeamLink({ values: createTeamValues(team), shares: policy === 'all', log });
}
