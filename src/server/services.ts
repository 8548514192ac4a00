// The composition root: from settings to everything a server consists of, in the order in which parts need each other.

import { type Builds, createBuildAdmission, createBuildRows, createBuilds, createTransforms } from '../builds/index.ts';
import { type Database, openMetadata } from '../database/index.ts';
import { createAgentActivities } from '../desk/index.ts';
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
import { createRateLimiter, createTurns } from '../limits/index.ts';
import { createHomes, createOwners } from '../nodes/index.ts';
import {
  createConnectionCounts,
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
import type { Settings } from '../settings/index.ts';
import { createForwarded } from '../workers/index.ts';
import { createHubs, type Hubs } from '../ws/index.ts';
import { openServerStore } from './artifacts.ts';
import { createCore, metricsOptions } from './core.ts';
import { createHealth } from './health.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import { ruffWhenReady } from './ruff.ts';

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
  const { ring, log, tracing } = await startLog(settings);
  const lifecycle = createLifecycle();
  const database = settings.artifactDir === null ? undefined : await openStore(settings.artifactDir, settings);
  const artifacts = database && (await openServerStore(database, settings, log));
  const runTokens = createRunTokens();
  const apiKeys = database && settings.authMode === 'api_key' ? createApiKeys(database) : undefined;
  const hubs = createHubs();
  let served: string | null = null;
  const owners = createOwners({ database, nodeUrl: settings.nodeAdvertisedUrl, log });
  const homes = await createHomes({ database, nodeUrl: settings.nodeAdvertisedUrl, log });
  const metrics = createMetrics(metricsOptions(settings));
  const latency = createLatency();
  const buildRows = database && createBuildRows(database);
  const admission = createBuildAdmission({
    settings,
    bytesSince: async (...day) => buildRows?.bytesSince(...day) ?? 0,
    now: database?.now ?? (() => Date.now() / 1000),
  });
  const core = createCore({
    settings,
    log,
    hubs,
    address: () => served,
    database,
    artifacts: artifacts?.store,
    owners,
    homes,
    tracing,
    runTokens,
    measures: () => ({ metrics, latency }),
    admitBuild: admission.admit,
    onModelAnswer: ({ tenant, principal }, usage) =>
      metrics.aiCall({ tenant: tenant ?? defaultTenant, principal: principal ?? '', ...usage }),
    origin: 'notebook',
  });
  const { remote, notebooks, engine, data, credentials } = core;
  await remote.registry.refresh();
  homes.keep((directory) => {
    log.warning('Another server has taken over a notebook that was open here', { path: directory });
    void notebooks.sessions.lose(directory);
  });
  const limiter = createLimiter(settings);
  const watched = watchProcess();
  metrics.provide({
    ...watched.metrics,
    rateLimits: limiter.stats,
    draining: () => lifecycle.draining.aborted,
    droppedLogs: log.droppedLines,
    engineMemory: core.memories.total,
  });
  const transforms = createTransforms(settings);
  const tables = core.tables();
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
    gcPauses: watched.gcPauses,
    connections: watched.connections,
    tracing,
    health: createHealth({ settings, database, engine, limiter, lifecycle, metrics, tables }),
    limiter,
    turns: createTurns(),
    authenticate: createAuthenticator({ settings, apiKeys, runTokens }),
    tenants: createTenants(settings.disabledTenants),
    artifacts: artifacts?.store,
    teamStore: core.teamStore,
    tables,
    runTokens,
    hubs,
    remote,
    transforms,
    builds,
    pulledCells: remote.pulledCells,
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
    ruff: ruffWhenReady(),
    models: notebooks.models,
    agents: createAgentActivities(),
    engine,
    dataEngine: data.engine,
    summaries: data.summaries,
    sql: core.sql,
    credentials,
    lifecycle,
    async close() {
      watched.stop();
      await core.closeNotebooks();
      homes.close();
      await builds?.close();
      await core.closeEngines();
      engine.close();
      await tracing.shutdown();
      await artifacts?.close();
      await database?.close();
      log.flush();
    },
  };
}

async function startLog(settings: Settings) {
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
  return { ring, log, tracing };
}

const openStore = (artifactDir: string, settings: Settings): Promise<Database> =>
  openMetadata({ artifactDir, dsn: settings.artifactMetadataDsn ?? undefined });

const createLimiter = (settings: Settings) =>
  createRateLimiter({
    enabled: settings.rateLimitEnabled,
    globalPerSecond: settings.rateLimitGlobalRps,
    globalBurst: settings.rateLimitGlobalBurst,
    clientPerSecond: settings.rateLimitClientRps,
    clientBurst: settings.rateLimitClientBurst,
    scanPerSecond: settings.rateLimitScanRps,
    warmPerSecond: settings.rateLimitWarmRps,
  });

/** How this process does: its pauses, its event loop, its connections. */
function watchProcess() {
  const gcPauses = createGcPauses();
  const eventLoop = createEventLoop();
  const connections = createConnectionCounts();
  const stops = [gcPauses.watch(), eventLoop.watch()];
  return {
    gcPauses,
    connections,
    metrics: {
      gcPauses: gcPauses.snapshot,
      eventLoop: eventLoop.snapshot,
      connections: connections.snapshot,
    },
    stop(): void {
      for (const stop of stops) stop();
    },
  };
}
