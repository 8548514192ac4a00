// Notebooks in the process of a command: the same sessions as a server has, without one.
import { type Artifacts, openArtifacts, openBlobs, type TeamStore } from '../artifacts/index.ts';
import { openMetadata } from '../database/index.ts';
import type { Engine } from '../engine/index.ts';
import type { FindPythons } from '../environments/index.ts';
import { anyone, createRunTokens } from '../identity/index.ts';
import { alone, noHomes } from '../nodes/index.ts';
import type { OpenSession, OpenSessions } from '../notebook/index.ts';
import {
  createLatency,
  createLog,
  createLogRing,
  createMetrics,
  type Log,
  noTracing,
  parseLogLevel,
} from '../observability/index.ts';
import type { Settings } from '../settings/index.ts';
import type { Tables } from '../tables/index.ts';
import { createHubs, type Hubs } from '../ws/index.ts';
import { createCore, metricsOptions } from './core.ts';
import type { Notebooks } from './notebooks.ts';
import type { RemoteExecution } from './workers.ts';

export interface Offline {
  /** Without `sync` the environment is used as it is. */
  open(directory: string, options?: { readonly sync: boolean }): Promise<OpenSession>;
  readonly sessions: OpenSessions;
  readonly data: () => Engine;
  readonly remote: RemoteExecution;
  /** Undefined where the settings name no place for one. */
  readonly artifacts: () => Promise<Artifacts | undefined>;
  readonly teamStore: TeamStore | undefined;
  readonly log: Log;
  readonly tables: () => Tables;
  readonly pythons: FindPythons;
  readonly foreign: Notebooks['foreign'];
  close(): Promise<void>;
}

export interface OfflineOptions {
  /** How many seconds a cell has for which nothing sets a limit; undefined for the usual. */
  readonly defaultTimeout?: number | undefined;
}

/** `onFrame` hears what a server would tell whoever watches. */
export function createOffline(
  settings: Settings,
  onFrame: (type: string, payload: object) => void = () => {},
  { defaultTimeout }: OfflineOptions = {},
): Offline {
  const log = createLog({
    level: parseLogLevel(process.env.SVC_LOG_LEVEL ?? 'warning') ?? 'warning',
    format: settings.logFormat,
    destination: 2,
    ring: createLogRing(),
  });
  const { notebooks, remote, data, tables, teamStore, closeNotebooks, closeEngines } = createCore({
    settings,
    log,
    hubs: heardHubs(onFrame),
    address: () => null,
    database: undefined,
    artifacts: undefined,
    owners: alone,
    homes: noHomes,
    tracing: noTracing,
    runTokens: createRunTokens(),
    measures: () => ({ metrics: createMetrics(metricsOptions(settings)), latency: createLatency() }),
    admitBuild: async () => () => {},
    defaultTimeout,
    origin: 'run',
  });

  /** The store of the server of this machine: opened when first asked for. */
  let store: Promise<OpenedStore | undefined> | undefined;
  const artifacts = async (): Promise<Artifacts | undefined> => {
    store ??= openStoreHere(settings);
    return (await store)?.artifacts;
  };

  return {
    open: (directory, options) => notebooks.sessions.open(directory, anyone, options),
    sessions: notebooks.sessions,
    data: data.engine,
    remote,
    artifacts,
    teamStore,
    log,
    tables,
    pythons: notebooks.pythons,
    foreign: notebooks.foreign,
    async close() {
      await closeNotebooks();
      await (await store)?.close();
      await closeEngines();
    },
  };
}

function heardHubs(onFrame: (type: string, payload: object) => void): Hubs {
  const hubs = createHubs();
  return {
    forget: hubs.forget,
    share: hubs.share,
    of(sessionId) {
      const hub = hubs.of(sessionId);
      return {
        ...hub,
        broadcast(type, payload) {
          onFrame(type, payload);
          hub.broadcast(type, payload);
        },
      };
    },
  };
}

interface OpenedStore {
  readonly artifacts: Artifacts;
  close(): Promise<void>;
}

async function openStoreHere(settings: Settings): Promise<OpenedStore | undefined> {
  const { artifactDir } = settings;
  if (artifactDir === null) return undefined;
  const database = await openMetadata({ artifactDir, dsn: settings.artifactMetadataDsn ?? undefined });
  const blobs = await openBlobs(settings, artifactDir);
  const protectedAliases = settings.registryProtectedAliases;
  const artifacts = await openArtifacts({ database, blobs, artifactDir, protectedAliases });
  return {
    artifacts,
    async close() {
      await artifacts.close();
      await database.close();
    },
  };
}
