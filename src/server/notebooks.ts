// Composes what notebooks need: the analysis process, the interpreters of this machine, uv, runtimes, and the sessions.
import fs from 'node:fs';
import path from 'node:path';
import { engineIsReady } from '../../scripts/setup/engine.js';
import { engineEnvironment } from '../../scripts/setup/places.js';
import { findPython } from '../../scripts/setup/python.js';
import { findUv } from '../../scripts/setup/uv.js';
import type { NameSource } from '../artifacts/index.ts';
import type { Credentials } from '../credentials/index.ts';
import {
  createAnalysis,
  createEngine,
  type Engine,
  type EnginePreparation,
  type ExplicitNames,
  explicitNames,
  type ForeignNotebooks,
  folderWatches,
  foreignNotebooks,
  frameText,
  needsTables,
  renderPrompt,
} from '../engine/index.ts';
import {
  collectEnvironments,
  createEnvironments,
  createLender,
  createOwnBackend,
  createPythons,
  createRTools,
  createSharedBackend,
  createSharedLibraries,
  type FindPythons,
  type RTools,
} from '../environments/index.ts';
import { patienceOf } from '../fetch/index.ts';
import { findProgram, giveTo } from '../files/index.ts';
import type { Caller, RunTokens } from '../identity/index.ts';
import { createMountCache, createRemoteMounts } from '../mounts/index.ts';
import { type Homes, noHomes } from '../nodes/index.ts';
import {
  type CloseReason,
  createHolds,
  createOpenSessions,
  type Holds,
  type ModelAccess,
  type OpenSessions,
  type TeamLink,
} from '../notebook/index.ts';
import type { Log } from '../observability/index.ts';
import { engineProgram } from '../places.ts';
import {
  type CellUser,
  createPythonRuntime,
  createRAnalysis,
  createRPool,
  findUser,
  type ModelUsage,
  modulesFileIn,
} from '../runtimes/index.ts';
import type { Settings } from '../settings/index.ts';
import type { SqlProcesses } from '../sql/index.ts';
import type { Tables } from '../tables/index.ts';
import type { Hubs } from '../ws/index.ts';
import { closeToCells } from './closeToCells.ts';
import { mountRule } from './mountRule.ts';
import { createNotebookTables } from './notebookTables.ts';
import type { RemoteExecution } from './workers.ts';

export interface Notebooks {
  readonly sessions: OpenSessions;
  readonly holds: Holds;
  readonly pythons: FindPythons;
  /** Looks for interpreters while nobody has asked yet. */
  keepPythonsFresh(): void;
  readonly r: RTools;
  readonly foreign: ForeignNotebooks;
  readonly explicitNames: ExplicitNames;
  readonly models: ModelAccess & { onAnswer(caller: Caller, usage: ModelUsage): void };
  close(): Promise<void>;
}

interface Parts {
  readonly settings: Settings;
  readonly engine: EnginePreparation;
  /** The data process; throws while its environment is being prepared. */
  readonly data: () => Engine;
  readonly sql: SqlProcesses;
  readonly credentials: Credentials;
  readonly remote: RemoteExecution;
  readonly hubs: Hubs;
  /** Where this process serves; null when it does not. */
  readonly address: () => string | null;
  readonly runTokens: RunTokens;
  /** Where a caller's names are looked up; undefined where there are none. */
  readonly registry: (caller: Caller) => NameSource | undefined;
  /** Undefined where no tables are read or written. */
  readonly tables: () => Tables | undefined;
  /** Undefined where nobody else's results are asked for. */
  readonly team: TeamLink | undefined;
  /** Which server has which notebook open; undefined where there is one. */
  readonly homes?: Homes;
  readonly onModelAnswer?: (caller: Caller, usage: ModelUsage) => void;
  /** How many seconds a cell has for which nothing sets a limit; undefined for the usual. */
  readonly defaultTimeout?: number | undefined;
  /** `run` where nobody sits before the notebooks. */
  readonly origin?: 'notebook' | 'run';
  readonly log: Log;
}

const sweepMilliseconds = 60_000;
const collectMilliseconds = 3_600_000;

const farewells: Readonly<Record<CloseReason, string>> = {
  idle: 'The session was closed after a period without activity; open the notebook again to go on.',
  session_limit: 'The session was closed to make room for others; open the notebook again to go on.',
  memory: 'The session was closed because memory is short; open the notebook again to go on.',
  closed: 'The session was closed.',
  deleted: 'The notebook was deleted.',
  shutdown: 'The server is stopping; open the notebook again when it is back.',
};

export function createNotebooks({
  settings,
  engine,
  data,
  sql,
  credentials,
  remote,
  hubs,
  address,
  runTokens,
  registry,
  tables,
  team,
  homes = noHomes,
  onModelAnswer = () => {},
  defaultTimeout,
  origin = 'notebook',
  log,
}: Parts): Notebooks {
  const harnessUser = settings.notebookHarnessUser;
  let analysisEngine: Engine | undefined;
  const installed = createPythons({ uv: findUv });
  const allowed = settings.notebookPythonVersions ?? [];
  const isOffered = (version: string): boolean => allowed.length === 0 || allowed.includes(version);

  const findPythons: FindPythons = async (wanted = () => true) => {
    const found = await installed.find((python) => isOffered(python.version) && wanted(python));
    return found.filter(({ version }) => isOffered(version));
  };

  async function startAnalysis(): Promise<Engine> {
    const python = await findPython();
    if (!python) throw new Error('No Python 3.10 or newer was found on this machine; notebooks need one.');
    analysisEngine ??= createEngine({
      name: 'analysis',
      command: python.command,
      args: ['-I', '-S', engineProgram, 'analysis'],
      log: ({ source, line }) => log.debug(line, { engine: 'analysis', source }),
    });
    return analysisEngine;
  }

  const askAnalysis: Pick<Engine, 'request'> = {
    request: async (op, params, options) => (await startAnalysis()).request(op, params, options),
  };
  const analysis = createAnalysis(askAnalysis);

  async function uvProgram(): Promise<string> {
    // The engine's preparation brings uv along where the machine has none.
    if (findUv() === undefined) await engine.settled();
    const found = findUv();
    if (found === undefined)
      throw new Error('uv is not installed and could not be: notebooks need it for their environments.');
    return found;
  }

  // Building a package runs its code, as the server.
  const uv = { program: uvProgram, mayBuild: settings.deploymentMode === 'personal' && harnessUser === null };
  const sharedFolder = settings.notebookEnvBackend === 'shared' ? settings.notebookSharedEnvDir : null;
  const rscript = () => findProgram('Rscript');
  const r = createRTools({
    rscript,
    installsNothing: harnessUser !== null ? 'harness user' : settings.deploymentMode === 'service' ? 'service' : null,
    shared: sharedFolder === null ? null : createSharedLibraries(sharedFolder),
  });
  const environments = createEnvironments({
    backend: sharedFolder === null ? createOwnBackend(uv) : createSharedBackend(uv, sharedFolder),
    r,
    mayUseAddresses: settings.deploymentMode === 'personal',
    pythons: findPythons,
    lender: createLender(async () => ((await engineIsReady()) ? engineEnvironment : undefined)),
    log,
  });

  /** Of a user that has none. */
  const homeIn = (directory: string): string => path.join(directory, '.svc/home');
  /** Who runs what a notebook brings along, asked for once; a user may be created after a first failure. */
  function cellUserWith(home: string | null): () => Promise<CellUser | undefined> {
    let found: Promise<CellUser> | undefined;
    return async () => {
      if (harnessUser === null) return undefined;
      const python = await findPython();
      if (!python) throw new Error('No Python 3.10 or newer was found on this machine; notebooks need one.');
      found ??= findUser({ name: harnessUser, interpreter: python.command, home }).catch((error: unknown) => {
        found = undefined;
        throw error;
      });
      return found;
    };
  }

  const environmentPolicy = { variables: process.env, allowlist: settings.notebookHarnessEnvAllowlist };
  const network = {
    publicOnly: settings.deploymentMode === 'service',
    allowedHosts: settings.notebookFetchAllowedHosts,
  };
  const personal = settings.deploymentMode === 'personal';
  const cellUser = cellUserWith(null);
  async function lend(folder: string): Promise<void> {
    const user = await cellUser();
    if (user) await giveTo(user, folder);
  }
  const mountCache = createMountCache(settings.notebookMountCacheDir, {
    maxBytes: settings.notebookMountCacheMaxBytes,
    maxIdleDays: settings.notebookMountCacheMaxIdleDays,
  });
  const mounts = createRemoteMounts(mountCache, patienceOf(settings), lend);
  if (harnessUser !== null) closeToCells(settings);
  const holds = createHolds(undefined, homes.holdOver);
  const consoleBytes = settings.notebookConsoleKb * 1024;
  const models: ModelAccess = {
    render: async (template, inputs) =>
      renderPrompt(needsTables(inputs) ? data() : await startAnalysis(), template, inputs),
    offer: {
      baseUrl: settings.aiBaseUrl,
      model: settings.aiModel,
      apiKey: settings.aiApiKey,
      maxOutputTokens: settings.aiMaxOutputTokens,
      timeoutSeconds: settings.aiTimeoutSeconds,
    },
    policy: network,
  };

  const sessions = createOpenSessions({
    homes,
    holds,
    hasTenants: settings.multiTenantEnabled,
    workers: remote.workers,
    catalog: remote.catalog,
    hints: remote.hints,
    address,
    runTokens,
    registry,
    tables: createNotebookTables({ credentials, tables }),
    team,
    workersPanel: settings.notebookWorkersPanel,
    cellsRunAsOther: harnessUser !== null,
    lend,
    mayRunHere: settings.deploymentMode === 'personal' || settings.notebookHarnessUser !== null,
    availableBytes,
    keepSuperseded: settings.notebookKeepSupersededVersions,
    personal,
    analysis,
    network,
    r: {
      names: createRAnalysis({ rscript, policy: environmentPolicy, user: cellUser }),
      rscript,
      frames: frameText(data),
      watch: folderWatches(data),
      consoleBytes,
    },
    javascript: { policy: environmentPolicy, watch: folderWatches(data), consoleBytes },
    startRProcesses(directory) {
      const user = cellUserWith(homeIn(directory));
      const size = settings.notebookWarmPoolSize;
      return { user, processes: createRPool({ rscript, size, directory, policy: environmentPolicy, user }) };
    },
    mountObjection: settings.deploymentMode === 'personal' ? () => null : mountRule(settings),
    // Queries run as the server: where cells do not, they reach no further than on a shared one.
    sql: { processes: sql, personal: personal && harnessUser === null, serverEnv: process.env, credentials },
    mounts: { mounts, credentials, personal },
    prompt: models,
    onModelAnswer,
    audienceFor(openingId) {
      const hub = hubs.of(openingId);
      return {
        broadcast: (type, payload) => hub.broadcast(type, payload),
        console: (chunk) => hub.console(chunk),
        isAnswered: () => [...hub.members].some(({ mayAnswer }) => mayAnswer),
        admit: (sessionId) => hubs.share(sessionId, openingId),
        dismiss(sessionId, reason) {
          hub.close(sessionId, reason, farewells[reason]);
          hubs.forget(sessionId);
        },
        end: () => hubs.forget(openingId),
      };
    },
    environments,
    startRuntime: (interpreter, directory, cells) =>
      createPythonRuntime({
        interpreter,
        cells,
        modulesFile: modulesFileIn(path.dirname(path.dirname(interpreter))),
        mayWrite: () => !holds.over(directory)?.complete,
        consoleBytes,
        spareBytes: settings.notebookSpareMemoryMb * 2 ** 20,
        warmPoolSize: settings.notebookWarmPoolSize,
        environmentPolicy,
        user: harnessUser === null ? undefined : { name: harnessUser, interpreter, home: homeIn(directory) },
        log: (line) => log.debug(line),
      }),
    limits: {
      ttlSeconds: settings.notebookSessionTtlSeconds,
      maxSessions: settings.notebookMaxSessions,
      minAvailableBytes:
        settings.notebookSessionMinAvailableMb === null ? null : settings.notebookSessionMinAvailableMb * 2 ** 20,
    },
    lockSeconds: settings.notebookCellLockSeconds,
    questions: {
      seconds: settings.notebookAnswerSeconds,
      keepsFailures: settings.notebookKeepFailures,
      mostBytes: settings.notebookKeepFailureMemoryMb * 2 ** 20,
    },
    readLimits: {
      bytes: settings.notebookConfirmReadBytes,
      dollars: settings.notebookConfirmReadCost,
      rates: settings.notebookCredentialReadCost,
      message: settings.notebookConfirmReadMessage,
    },
    keptLimits: {
      bytes: settings.notebookKeptCellMemoryMb === 0 ? null : settings.notebookKeptCellMemoryMb * 2 ** 20,
      idleSeconds: settings.notebookKeptCellIdleSeconds,
      answerSeconds: settings.notebookKeptCellAnswerSeconds,
    },
    reactiveLimits: {
      cellSeconds: settings.notebookReactiveCellSeconds,
      totalSeconds: settings.notebookReactiveTotalSeconds,
    },
    defaultTimeout,
    origin,
    codec: settings.notebookObjectCodec,
    log,
  });

  const sweeper = setInterval(() => {
    sessions.sweep().catch((error: unknown) => log.warning('Idle sessions could not be closed', { error }));
  }, sweepMilliseconds).unref();

  const collector = setInterval(() => {
    if (sharedFolder === null) return;
    collectEnvironments(sharedFolder, settings.notebookSharedEnvTtlDays).catch((error: unknown) =>
      log.warning('Shared environments could not be collected', { error }),
    );
  }, collectMilliseconds).unref();

  return {
    sessions,
    holds,
    pythons: findPythons,
    keepPythonsFresh: installed.keepFresh,
    r,
    foreign: foreignNotebooks(askAnalysis),
    explicitNames: explicitNames(askAnalysis),
    models: { ...models, onAnswer: onModelAnswer },
    async close() {
      clearInterval(sweeper);
      clearInterval(collector);
      installed.close();
      await sessions.closeAll('shutdown');
      await team?.close();
      await analysisEngine?.close();
    },
  };
}

/** What the system can still give without swapping; where it does not tell, there is always enough. */
function availableBytes(): number {
  const [, kilobytes] = /^MemAvailable:\s+(\d+) kB$/m.exec(readMeminfo()) ?? [];
  return kilobytes === undefined ? Number.POSITIVE_INFINITY : Number(kilobytes) * 1024;
}

function readMeminfo(): string {
  try {
    return fs.readFileSync('/proc/meminfo', 'utf8');
  } catch {
    return '';
  }
}
