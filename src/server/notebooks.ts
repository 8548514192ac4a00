// Composes what notebooks need: analysis, environments, runtimes, mounts, models, and the sessions.
import path from 'node:path';
import type { NameSource } from '../artifacts/index.ts';
import type { Credentials } from '../credentials/index.ts';
import {
  createAnalysis,
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
import type { FindPythons, RTools } from '../environments/index.ts';
import { patienceOf } from '../fetch/index.ts';
import type { Caller, RunTokens } from '../identity/index.ts';
import { createMountCache, createRemoteMounts } from '../mounts/index.ts';
import { type Homes, noHomes } from '../nodes/index.ts';
import {
  createHolds,
  createOpenSessions,
  type Holds,
  type ModelAccess,
  type OpenSessions,
  type TeamLink,
} from '../notebook/index.ts';
import type { Log } from '../observability/index.ts';
import {
  createPythonRuntime,
  createRAnalysis,
  createRPool,
  type ModelUsage,
  modulesFileIn,
} from '../runtimes/index.ts';
import { cellPolicyOf, type Settings } from '../settings/index.ts';
import type { SqlProcesses } from '../sql/index.ts';
import type { Tables } from '../tables/index.ts';
import type { Hubs } from '../ws/index.ts';
import { createAnalysisEngine } from './analysisEngine.ts';
import { audienceIn } from './audiences.ts';
import { createCellUsers, homeIn } from './cellUsers.ts';
import { closeToCells } from './closeToCells.ts';
import { mountRule } from './mountRule.ts';
import { createNotebookEnvironments } from './notebookEnvironments.ts';
import { createNotebookTables } from './notebookTables.ts';
import { sessionLimits } from './sessionLimits.ts';
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
  const analysis = createAnalysisEngine(log);
  const { environments, r, rscript, ...installed } = createNotebookEnvironments(settings, engine, log);
  const cellUsers = createCellUsers(harnessUser);
  const policy = cellPolicyOf(settings, process.env);
  const network = {
    publicOnly: settings.deploymentMode === 'service',
    allowedHosts: settings.notebookFetchAllowedHosts,
  };
  const personal = settings.deploymentMode === 'personal';
  const mountCache = createMountCache(settings.notebookMountCacheDir, {
    maxBytes: settings.notebookMountCacheMaxBytes,
    maxIdleDays: settings.notebookMountCacheMaxIdleDays,
  });
  const mounts = createRemoteMounts(mountCache, patienceOf(settings), cellUsers.lend);
  if (harnessUser !== null) closeToCells(settings);
  const holds = createHolds(undefined, homes.holdOver);
  const consoleBytes = settings.notebookConsoleKb * 1024;
  const models: ModelAccess = {
    render: async (template, inputs) =>
      renderPrompt(needsTables(inputs) ? data() : await analysis.start(), template, inputs),
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
    lend: cellUsers.lend,
    mayRunHere: personal || harnessUser !== null,
    personal,
    analysis: createAnalysis(analysis),
    network,
    r: {
      names: createRAnalysis({ rscript, policy, user: cellUsers.any }),
      rscript,
      frames: frameText(data),
      watch: folderWatches(data),
      consoleBytes,
    },
    javascript: { policy, watch: folderWatches(data), consoleBytes },
    startRProcesses(directory) {
      const user = cellUsers.of(directory);
      const size = settings.notebookWarmPoolSize;
      return { user, processes: createRPool({ rscript, size, directory, policy, user }) };
    },
    mountObjection: personal ? () => null : mountRule(settings),
    // Queries run as the server: where cells do not, they reach no further than on a shared one.
    sql: { processes: sql, personal: personal && harnessUser === null, serverEnv: process.env, credentials },
    mounts: { mounts, credentials, personal },
    prompt: models,
    onModelAnswer,
    audienceFor: (openingId) => audienceIn(hubs, openingId),
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
        policy,
        user: harnessUser === null ? undefined : { name: harnessUser, interpreter, home: homeIn(directory) },
        log: (line) => log.debug(line),
      }),
    ...sessionLimits(settings),
    defaultTimeout,
    origin,
    log,
  });

  const sweeper = setInterval(() => {
    sessions.sweep().catch((error: unknown) => log.warning('Idle sessions could not be closed', { error }));
  }, sweepMilliseconds).unref();

  return {
    sessions,
    holds,
    pythons: installed.pythons,
    keepPythonsFresh: installed.keepPythonsFresh,
    r,
    foreign: foreignNotebooks(analysis),
    explicitNames: explicitNames(analysis),
    models: { ...models, onAnswer: onModelAnswer },
    async close() {
      clearInterval(sweeper);
      installed.close();
      await sessions.closeAll('shutdown');
      await team?.close();
      await analysis.close();
    },
  };
}
