// The composition root: from settings to everything a server consists of, in the order in which parts need each other.
import { createAgentActivities } from '../agents/index.ts';
import { type Builds, createBuildAdmission, createBuildRows, createBuilds, createTransforms } from '../builds/index.ts';
import { createCredentials } from '../credentials/index.ts';
import { type Database, openMetadata } from '../database/index.ts';
import { createEnginePreparation, type EnginePreparation } from '../engine/index.ts';
import type { Services } from '../http/index.ts';
import {
  actingNotebook,
  createApiKeys,
  createAuthenticator,
  createRunTokens,
  createTenants,
  defaultTenant,
  type RunTokens,
} from '../identity/index.ts';
import { createRateLimiter } from '../limits/index.ts';
import { createHomes, createOwners } from '../nodes/index.ts';
import {
  createConnections,
  createEventLoop,
  createGcPauses,
  createLatency,
  createLog,
  createLogRing,
  createMetrics,
  parseLogLevel,
  type RootLog,
  startTracing,
  type Tracing,
} from '../observability/index.ts';
import { type Settings, timeoutGroups } from '../settings/index.ts';
import { createTables } from '../tables/index.ts';
import { createForwarded } from '../workers/index.ts';
import { createHubs, type Hubs } from '../ws/index.ts';
import { nameSourceOf, openArtifactStore, teamLinkOf, teamStoreOf } from './artifacts.ts';
import { createDataEngine, createSqlEngines } from './dataEngine.ts';
import { createEngineMemories } from './engineMemory.ts';
import { createHealth } from './health.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import { createNotebooks } from './notebooks.ts';
import { createRemoteExecution } from './workers.ts';

export interface Parts extends Services {
  readonly log: RootLog;
  readonly runTokens: RunTokens;
  readonly hubs: Hubs;
  readonly lifecycle: Lifecycle;
  /** Called once, when the server listens. */
  served(address: string): void;
  /** Ends what the parts hold open, after the last request. */
  close(): Promise<void>;
}

export async function createServices(settings: Settings): Promise<Parts> {
  const ring = createLogRing();
  let tracing: Tracing | undefined;
  const log = createLog({
    level: parseLogLevel(settings.logLevel) ?? 'info',
    format: settings.logFormat,
    destination: 2,
    ring,
    traceIds: () => tracing?.currentIds(),
    notebookId: actingNotebook,
  });
  tracing = await startTracing({
    endpoint: settings.otlpEndpoint ?? undefined,
    serviceName: settings.otlpServiceName,
    enabled: settings.tracingEnabled,
    log,
  });

  const lifecycle = createLifecycle();
  const database = settings.artifactDir === null ? undefined : await openStore(settings.artifactDir, settings);
  const artifacts = database && (await openArtifactStore(database, settings, log));
  const teamStore = teamStoreOf(settings);
  const runTokens = createRunTokens();
  const apiKeys = database && settings.authMode === 'api_key' ? createApiKeys(database) : undefined;
  const engine: EnginePreparation = createEnginePreparation({ log });
  const memories = createEngineMemories();
  const processes = { preparation: engine, log, memoryPool: settings.arrowMemoryPool, memories };
  const data = createDataEngine(processes);
  const sql = createSqlEngines(processes);
  const credentials = createCredentials(settings);
  const hubs = createHubs();
  let served: string | null = null;
  const owners = createOwners({ database, nodeUrl: settings.nodeAdvertisedUrl, log });
  const homes = await createHomes({ database, nodeUrl: settings.nodeAdvertisedUrl, log });
  const remote = createRemoteExecution(settings, () => served, database, owners, artifacts?.store, tracing);
  await remote.registry.refresh();
  const metrics = createMetrics(metricsOptions(settings));
  const notebooks = createNotebooks({
    settings,
    remote,
    engine,
    data: data.engine,
    sql,
    credentials,
    hubs,
    address: () => served,
    runTokens,
    registry: (caller) => nameSourceOf(caller, teamStore, artifacts?.store),
    tables: () => tables,
    team: teamLinkOf(settings, teamStore, log),
    homes,
    onModelAnswer: ({ tenant, principal }, usage) =>
      metrics.aiCall({ tenant: tenant ?? defaultTenant, principal: principal ?? '', ...usage }),
    log,
  });
  homes.keep((directory) => {
    log.warning('Another server has taken over a notebook that was open here', { path: directory });
    void notebooks.sessions.lose(directory);
  });
  const limiter = createRateLimiter({
    enabled: settings.rateLimitEnabled,
    globalPerSecond: settings.rateLimitGlobalRps,
    globalBurst: settings.rateLimitGlobalBurst,
    clientPerSecond: settings.rateLimitClientRps,
    clientBurst: settings.rateLimitClientBurst,
    scanPerSecond: settings.rateLimitScanRps,
    warmPerSecond: settings.rateLimitWarmRps,
  });
  const gcPauses = createGcPauses();
  const eventLoop = createEventLoop();
  const stopWatching = [gcPauses.watch(), eventLoop.watch()];
  const connections = createConnections();
  metrics.provide({
    rateLimits: limiter.stats,
    gcPauses: gcPauses.snapshot,
    eventLoop: eventLoop.snapshot,
    connections: connections.snapshot,
    draining: () => lifecycle.draining.aborted,
    droppedLogs: log.droppedLines,
    engineMemory: memories.total,
  });

  const latency = createLatency();
  const buildRows = database && createBuildRows(database);
  const admission = createBuildAdmission({
    settings,
    bytesSince: async (...day) => buildRows?.bytesSince(...day) ?? 0,
    now: database?.now ?? (() => Date.now() / 1000),
  });
  const transforms = createTransforms(settings);
  const tables = createTables({
    settings,
    credentials,
    log,
    metrics,
    latency,
    artifacts: artifacts?.store,
    admitBuild: admission.admit,
    planning: data.engine,
    createReader: () => data.create('reader'),
  });
  const builds: Builds | undefined =
    artifacts &&
    buildRows &&
    createBuilds({
      settings,
      artifacts: artifacts.store,
      rows: buildRows,
      transforms,
      admission,
      queries: tables.queries,
      engineReady: () => engine.current().state === 'ready',
      signer: remote.signer,
      metrics,
      tracing,
      log,
    });
  await builds?.start();

  return {
    settings: credentials.settings,
    log,
    ring,
    metrics,
    latency,
    gcPauses,
    connections,
    tracing,
    health: createHealth({ settings, database, engine, limiter, lifecycle, metrics, tables }),
    limiter,
    authenticate: createAuthenticator({ settings, apiKeys, runTokens }),
    tenants: createTenants(settings.disabledTenants),
    artifacts: artifacts?.store,
    teamStore,
    tables,
    runTokens,
    hubs,
    remote,
    transforms,
    builds,
    cellBuilds: remote.builds,
    forwardedTo: (owner) => createForwarded(remote.signer, owner),
    owners,
    homes,
    sessions: notebooks.sessions,
    holds: notebooks.holds,
    served(address) {
      served = address;
      notebooks.keepPythonsFresh();
    },
    pythons: notebooks.pythons,
    r: notebooks.r,
    foreign: notebooks.foreign,
    explicitNames: notebooks.explicitNames,
    models: notebooks.models,
    agents: createAgentActivities(),
    engine,
    dataEngine: data.engine,
    summaries: data.summaries,
    sql,
    credentials,
    lifecycle,
    async close() {
      for (const stop of stopWatching) stop();
      remote.ssh.close();
      await notebooks.close();
      homes.close();
      await sql.close();
      await builds?.close();
      await tables.close();
      await data.close();
      engine.close();
      await tracing.shutdown();
      await artifacts?.close();
      await database?.close();
      log.flush();
    },
  };
}

const openStore = (artifactDir: string, settings: Settings): Promise<Database> =>
  openMetadata({ artifactDir, dsn: settings.artifactMetadataDsn ?? undefined });

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
