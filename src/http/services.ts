// What the HTTP shell is given by the composition root: the domain, ready to be called. Routes ask for nothing else.
import type { FastifyInstance, RawServerDefault } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Artifacts, TeamStore } from '../artifacts/index.ts';
import type { Builds, Transforms } from '../builds/index.ts';
import type { Credentials } from '../credentials/index.ts';
import type { AgentActivities } from '../desk/index.ts';
import type { Engine, EnginePreparation, ExplicitNames, ForeignNotebooks, Ruff } from '../engine/index.ts';
import type { FindPythons, RTools } from '../environments/index.ts';
import type { Authenticator, Caller, Tenants } from '../identity/index.ts';
import type { RateLimiter, Turns } from '../limits/index.ts';
import type { Homes, Owners } from '../nodes/index.ts';
import type { Holds, ModelAccess, OpenSessions } from '../notebook/index.ts';
import type {
  ConnectionCounts,
  GcPauses,
  HealthAnswer,
  Latency,
  Log,
  LogRing,
  Metrics,
  Tracing,
} from '../observability/index.ts';
import type { DependenciesBody, ReadinessBody } from '../protocol/index.ts';
import type { ModelUsage } from '../runtimes/index.ts';
import type { Settings } from '../settings/index.ts';
import type { SqlProcesses } from '../sql/index.ts';
import type { Tables } from '../tables/index.ts';
import type {
  Catalog,
  CellTransport,
  Hints,
  Listing,
  Probes,
  PulledCells,
  SshWorkers,
  WorkerRegistry,
} from '../workers/index.ts';

/** What routes tell the watchers of a session; sockets satisfy it. */
export interface SessionHubs {
  of(sessionId: string): {
    broadcast(type: string, payload: object): void;
    stand(type: string, payload: object, holds: boolean): void;
    announcePresence(): void;
    readonly presence: { visited(principal: string, cellId: string): void };
  };
}

export interface Services {
  readonly settings: Settings;
  readonly log: Log;
  readonly ring: LogRing;
  readonly metrics: Metrics;
  readonly latency: Latency;
  readonly gcPauses: GcPauses;
  readonly connections: ConnectionCounts;
  readonly sql: SqlProcesses;
  readonly credentials: Credentials;
  readonly tracing: Tracing;
  readonly health: {
    readiness(): Promise<HealthAnswer<ReadinessBody>>;
    dependencies(): Promise<HealthAnswer<DependenciesBody>>;
  };
  readonly limiter: RateLimiter;
  readonly turns: Turns;
  readonly authenticate: Authenticator;
  readonly tenants: Tenants;
  /** Undefined where the deployment keeps no store. */
  readonly artifacts: Artifacts | undefined;
  /** Undefined where no team shares a store. */
  readonly teamStore: TeamStore | undefined;
  readonly tables: Tables;
  /** Workers that cells may run on. */
  readonly remote: {
    readonly catalog: Catalog;
    readonly registry: WorkerRegistry;
    readonly listing: Listing;
    readonly probes: Probes;
    readonly hints: Hints;
    readonly ssh: SshWorkers;
  };
  /** Computations that this server offers. */
  readonly transforms: Transforms;
  /** Undefined where the deployment keeps no store. */
  readonly builds: Builds | undefined;
  /** What workers bring that pull their cells. */
  readonly pulledCells: PulledCells;
  /** The same for cells that another server dispatched. */
  readonly forwardedTo: (owner: string) => CellTransport;
  readonly owners: Owners;
  readonly homes: Homes;
  readonly sessions: OpenSessions;
  readonly holds: Holds;
  /** Where the routes find who watches a session. */
  readonly hubs: SessionHubs;
  /** What agents do in open notebooks. */
  readonly agents: AgentActivities;
  readonly r: RTools;
  /** The interpreters that notebooks can be created with. */
  readonly pythons: FindPythons;
  /** Reads notebooks of other programs. */
  readonly foreign: ForeignNotebooks;
  readonly explicitNames: ExplicitNames;
  /** Undefined while the engine's environment has not been prepared. */
  readonly ruff: () => Ruff | undefined;
  /** Models that notebooks may ask. */
  readonly models: ModelAccess & { onAnswer(caller: Caller, usage: ModelUsage): void };
  readonly engine: EnginePreparation;
  /** The data process; refuses with 503 until its environment is there. */
  readonly dataEngine: () => Pick<Engine, 'request'>;
  /** The same for what takes long and holds nobody up. */
  readonly summaries: Pick<Engine, 'request'>;
  readonly lifecycle: {
    /** Aborted once the server begins to stop. */
    readonly draining: AbortSignal;
    begin(): () => void;
  };
}

export type App = FastifyInstance<
  RawServerDefault,
  import('node:http').IncomingMessage,
  import('node:http').ServerResponse,
  import('fastify').FastifyBaseLogger,
  ZodTypeProvider
>;

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; set by the identity gate before any handler runs. */
    caller: Caller;
    /** The caller's tenant, `_default` for none. */
    tenant: string;
  }
}
