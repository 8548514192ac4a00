// What does the work, wherever it is done: the processes that read data and ask databases, tables, workers, and the notebooks. A
// server composes it, and so does a command that works without one.
import type { Artifacts, TeamStore } from '../artifacts/index.ts';
import { type Credentials, createCredentials } from '../credentials/index.ts';
import type { Database } from '../database/index.ts';
import { createEnginePreparation, type EnginePreparation } from '../engine/index.ts';
import type { Caller, RunTokens } from '../identity/index.ts';
import type { Homes, Owners } from '../nodes/index.ts';
import type { Latency, Log, Metrics, Tracing } from '../observability/index.ts';
import type { ModelUsage } from '../runtimes/index.ts';
import { type Settings, timeoutGroups } from '../settings/index.ts';
import type { SqlProcesses } from '../sql/index.ts';
import { type AdmitBuild, createTables, type Tables } from '../tables/index.ts';
import type { Hubs } from '../ws/index.ts';
import { nameSourceOf, teamLinkOf, teamStoreOf } from './artifacts.ts';
import { createDataEngine, createSqlEngines } from './dataEngine.ts';
import { createEngineMemories, type EngineMemories } from './engineMemory.ts';
import { createNotebooks, type Notebooks } from './notebooks.ts';
import { createRemoteExecution, type RemoteExecution } from './workers.ts';

export interface CoreParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly hubs: Hubs;
  /** Where this process serves; null when it does not. */
  readonly address: () => string | null;
  /** Undefined where none is kept. */
  readonly database: Database | undefined;
  readonly artifacts: Artifacts | undefined;
  /** Which server of several holds what; those of one that is alone where there is one. */
  readonly owners: Owners;
  readonly homes: Homes;
  readonly tracing: Tracing;
  readonly runTokens: RunTokens;
  /** Asked for when tables are first needed. */
  readonly measures: () => { readonly metrics: Metrics; readonly latency: Latency };
  readonly admitBuild: AdmitBuild;
  readonly onModelAnswer?: (caller: Caller, usage: ModelUsage) => void;
  /** How many seconds a cell has for which nothing sets a limit; undefined for the usual. */
  readonly defaultTimeout?: number | undefined;
  /** `run` where nobody sits before the notebooks. */
  readonly origin: 'notebook' | 'run';
}

export interface Core {
  readonly engine: EnginePreparation;
  readonly memories: EngineMemories;
  readonly data: ReturnType<typeof createDataEngine>;
  readonly sql: SqlProcesses;
  readonly credentials: Credentials;
  readonly teamStore: TeamStore | undefined;
  readonly remote: RemoteExecution;
  /** Opened when first asked for. */
  tables(): Tables;
  readonly notebooks: Notebooks;
  /** Ends what runs in notebooks and on workers. */
  closeNotebooks(): Promise<void>;
  /** Ends the processes below, when nobody asks them any more. */
  closeEngines(): Promise<void>;
}

/** Still before cells, whose runs nobody waits for by the millisecond. */
const behindTheServer = 5;

export function createCore(parts: CoreParts): Core {
  const { settings, log, address, database, artifacts, owners } = parts;
  const engine = createEnginePreparation({ log });
  const memories = createEngineMemories();
  const processes = {
    preparation: engine,
    log,
    memoryPool: settings.arrowMemoryPool,
    memories,
    niceness: settings.multiTenantEnabled ? behindTheServer : 0,
    cellUser: settings.notebookHarnessUser,
  };
  const data = createDataEngine(processes);
  const sql = createSqlEngines(processes);
  const credentials = createCredentials(settings);
  const teamStore = teamStoreOf(settings);
  const remote = createRemoteExecution(settings, address, database, owners, artifacts, parts.tracing);
  let opened: Tables | undefined;

  function tables(): Tables {
    opened ??= createTables({
      settings,
      credentials,
      log,
      ...parts.measures(),
      artifacts,
      admitBuild: parts.admitBuild,
      planning: data.engine,
      createReader: () => data.create('reader'),
    });
    return opened;
  }

  const notebooks = createNotebooks({
    ...parts,
    remote,
    engine,
    data: data.engine,
    sql,
    credentials,
    registry: (caller) => nameSourceOf(caller, teamStore, artifacts),
    tables,
    team: teamLinkOf(settings, teamStore, log),
  });

  return {
    engine,
    memories,
    data,
    sql,
    credentials,
    teamStore,
    remote,
    tables,
    notebooks,
    async closeNotebooks() {
      remote.ssh.close();
      await notebooks.close();
    },
    async closeEngines() {
      await opened?.close();
      await Promise.all([data.close(), sql.close()]);
    },
  };
}

/** What is measured, and against which limits. */
export const metricsOptions = (settings: Settings) => ({
  principalAuth: settings.authMode !== 'none',
  limits: {
    maxConcurrentScans: settings.maxConcurrentScans,
    maxTasksPerScan: settings.maxTasksPerScan,
    maxResponseBytes: settings.maxResponseBytes,
    fetchParallelism: settings.fetchParallelism,
    timeouts: timeoutGroups(settings),
  },
});
