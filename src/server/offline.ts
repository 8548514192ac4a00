// Notebooks in the process of a command: the same sessions as a server has, without one.
import { type Artifacts, openArtifacts, openBlobs, type TeamStore } from '../artifacts/index.ts';
import { createCredentials } from '../credentials/index.ts';
import { openMetadata } from '../database/index.ts';
import { createEnginePreparation, type Engine } from '../engine/index.ts';
import type { FindPythons } from '../environments/index.ts';
import { anyone, createRunTokens } from '../identity/index.ts';
import { alone } from '../nodes/index.ts';
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
import { createTables, type Tables } from '../tables/index.ts';
import { createHubs, type Hubs } from '../ws/index.ts';
import { nameSourceOf, teamLinkOf, teamStoreOf } from './artifacts.ts';
import { createDataEngine, createSqlEngines } from './dataEngine.ts';
import { createEngineMemories } from './engineMemory.ts';
import { createNotebooks } from './notebooks.ts';
import { metricsOptions } from './services.ts';
import { createRemoteExecution, type RemoteExecution } from './workers.ts';

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
  readonly foreign: ReturnType<typeof createNotebooks>['foreign'];
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
  const engine = createEnginePreparation({ log });
  const processes = {
    preparation: engine,
    log,
    memoryPool: settings.arrowMemoryPool,
    memories: createEngineMemories(),
  };
  const data = createDataEngine(processes);
  const sql = createSqlEngines(processes);
  const team = teamStoreOf(settings);
  const credentials = createCredentials(settings);
  let tables: Tables | undefined;

  function openTables(): Tables {
    tables ??= createTables({
      settings,
      credentials,
      log,
      metrics: createMetrics(metricsOptions(settings)),
      latency: createLatency(),
      artifacts: undefined,
      admitBuild: async () => () => {},
      planning: data.engine,
      createReader: () => data.create('reader'),
    });
    return tables;
  }

  /** The store of the server of this machine: opened when first asked for. */
  let store: Promise<OpenedStore | undefined> | undefined;
  const artifacts = async (): Promise<Artifacts | undefined> => {
    store ??= openStoreHere(settings);
    return (await store)?.artifacts;
  };

  const remote = createRemoteExecution(settings, () => null, undefined, alone, undefined, noTracing);
  const notebooks = createNotebooks({
    settings,
    remote,
    engine,
    data: data.engine,
    sql,
    credentials,
    hubs: heardHubs(onFrame),
    address: () => null,
    runTokens: createRunTokens(),
    registry: (caller) => nameSourceOf(caller, team, undefined),
    tables: openTables,
    team: teamLinkOf(settings, team, log),
    defaultTimeout,
    origin: 'run',
    log,
  });
  return {
    open: (directory, options) => notebooks.sessions.open(directory, anyone, options),
    sessions: notebooks.sessions,
    data: data.engine,
    remote,
    artifacts,
    teamStore: team,
    log,
    tables: openTables,
    pythons: notebooks.pythons,
    foreign: notebooks.foreign,
    async close() {
      remote.ssh.close();
      await notebooks.close();
      await (await store)?.close();
      await tables?.close();
      await Promise.all([data.close(), sql.close()]);
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
