// Opens one notebook: its environment, its store, its live state and the watch over its files, wired to each other.
import path from 'node:path';
import type { NameSource, SharedStores } from '../../artifacts/index.ts';
import type { Analysis } from '../../engine/index.ts';
import {
  type EnvironmentJob,
  type Environments,
  type JobRequest,
  lockedBlock,
  lockedLibraryBlock,
  type NotebookEnvironment,
  type StartedJob,
} from '../../environments/index.ts';
import { refusals } from '../../errors/index.ts';
import type { NetworkPolicy } from '../../fetch/index.ts';
import type { Caller, RunTokens } from '../../identity/index.ts';
import type { ModelUsage, Runtime } from '../../runtimes/index.ts';
import type { Catalog, HintReason, Hints, Workers } from '../../workers/index.ts';
import { resolveWorker } from '../annotations/index.ts';
import { type Connections, createConnections } from '../connections/index.ts';
import { type Notebook, type NotebookWatch, sourcesRead, watchNotebook } from '../document/index.ts';
import {
  createLanguages,
  openSqlSnapshots,
  type PromptParts,
  type RParts,
  remoteCells,
  type SqlParts,
} from '../languages/index.ts';
import {
  type Audience,
  type CellTests,
  createCellTests,
  createWidgets,
  type LiveNotebook,
  openCellNotes,
  openLiveNotebook,
  type ReadLimits,
  toldState,
  type Widgets,
} from '../live/index.ts';
import {
  createOutside,
  datasetReader,
  fetchReader,
  localMountReader,
  openFetchCache,
  openWorkerEnvironments,
  type RemoteMountParts,
  remoteMountReader,
  tableReader,
} from '../outside/index.ts';
import type { SessionTables, TeamLink } from '../run/index.ts';
import { createShaper } from '../shape/index.ts';
import { errorCode } from '../storage/paths.ts';
import { checkRuntimeFolder, makeRuntimeFolder } from '../storage/runtimeFolder.ts';
import { dropClaim, readClaim, writeClaim } from './claim.ts';
import { buildEnvOf, finishedPayload, isAttested } from './environmentFacts.ts';
import type { CloseReason } from './eviction.ts';
import { fetchEnv } from './fetchedEnv.ts';
import { folderIdentity } from './folderIdentity.ts';
import type { Holds } from './holds.ts';

export interface OpenSession {
  readonly sessionId: string;
  readonly live: LiveNotebook;
  readonly widgets: Widgets;
  readonly tests: CellTests;
  readonly connections: Connections;
  readonly environment: NotebookEnvironment;
  readonly workersPanel: 'shown' | 'hidden';
  /** Undefined on a server that does not keep tenants apart. */
  readonly tenant: string | null | undefined;
  readonly principal: string | null;
  /** When somebody last edited, ran or looked around, or a run was over, in seconds. */
  activeAt: number;
  /** Somebody edits, runs or looks around: the session is not idle. */
  touch(): void;
  /** Starts an environment job; throws when the notebook is held still or something runs. */
  startJob(request: JobRequest): StartedJob;
  /** Tells the workers of these cells that something may come. */
  hint(cellIds: readonly string[], reason: HintReason): void;
  /** Changes what the notebook says of itself, and tells whoever watches. */
  configure(edit: (notebook: Notebook) => Promise<Notebook>): Promise<void>;
  /** Asks the secret manager of the notebook, if it has one, and tells whoever watches. */
  fetchEnv(): Promise<void>;
  /** Reads the files again and tells whoever watches. */
  reload(): Promise<void>;
  /** False when its folder was deleted, whatever stands in its place now. */
  isThere(): Promise<boolean>;
  /** Ends what runs and tells whoever watches; nothing is written. */
  close(reason: CloseReason): Promise<void>;
  /** Puts away what a closed session has left in the notebook's folder. */
  putAway(): Promise<void>;
}

export interface SessionParts {
  readonly stores: SharedStores;
  readonly analysis: Analysis;
  readonly audienceFor: (sessionId: string) => Audience & { close(reason: CloseReason): void };
  readonly environments: Environments;
  readonly startRuntime: (interpreter: string, directory: string, cells: () => Notebook['cells']) => Runtime;
  readonly holds: Holds;
  readonly hasTenants: boolean;
  /** Where this process serves; null when it does not. */
  readonly address: () => string | null;
  readonly runTokens: Pick<RunTokens, 'mint'>;
  /** Where a caller's names are looked up; undefined where the server keeps none. */
  readonly registry: (caller: Caller) => NameSource | undefined;
  /** Tables, as far as a caller may reach them from a notebook in this folder. */
  readonly tables: (caller: Caller, directory: string) => SessionTables;
  /** Undefined where nobody else's results are asked for. */
  readonly team: TeamLink | undefined;
  /** Which addresses notebooks may reach. */
  readonly network: NetworkPolicy;
  /** Why a folder of this machine may not be mounted; null when it may. */
  readonly mountObjection: (place: string) => string | null;
  readonly prompt: PromptParts;
  /** A model answered a cell of this caller. */
  readonly onModelAnswer?: (caller: Caller, usage: ModelUsage) => void;
  readonly r: Omit<RParts, 'mayRunHere' | 'outside' | 'remote' | 'processes' | 'user'>;
  readonly startRProcesses: (directory: string) => Pick<RParts, 'processes' | 'user'>;
  readonly mounts: Omit<RemoteMountParts, 'principal' | 'isElsewhere'>;
  readonly sql: Omit<SqlParts, 'principal' | 'objection' | 'mounts' | 'snapshots'>;
  readonly mayRunHere: boolean;
  /** Gives a folder that was made for cells to the account that runs them. */
  readonly lend: (folder: string) => Promise<void>;
  /** Whether cells have an account of their own. */
  readonly cellsRunAsOther: boolean;
  readonly workersPanel: 'shown' | 'hidden';
  readonly workers: Pick<Workers, 'run' | 'environmentOf'>;
  readonly catalog: Catalog;
  readonly hints: Hints;
  readonly keepSuperseded: number;
  readonly lockSeconds: number;
  readonly readLimits: ReadLimits;
  /** `cloudpickle` or `pickle`; with anything else storing objects fails. */
  readonly codec: string;
  /** How many seconds a cell has for which nothing sets a limit; undefined for the usual. */
  readonly defaultTimeout: number | undefined;
  /** What workers are told of who runs cells. */
  readonly origin: 'notebook' | 'run';
  readonly log: { warning(message: string, fields?: Readonly<Record<string, unknown>>): void };
  /** Seconds of a clock that only goes forward. */
  readonly now: () => number;
}

/** What is done with the environment while the notebook is still being opened. */
export type Begin = (environment: NotebookEnvironment) => void;

/** `onEdited`: the files were changed through this session. */
export async function openSession(
  parts: SessionParts,
  notebook: Notebook,
  caller: Caller,
  onEdited: (session: OpenSession) => void,
  begin: Begin = () => {},
): Promise<OpenSession> {
  const { directory } = notebook;
  await checkRuntimeFolder(directory);
  await makeRuntimeFolder(directory, parts.cellsRunAsOther);
  const folder = await folderIdentity(directory);
  const sessionId = crypto.randomUUID();
  const tables = parts.tables(caller, directory);
  const audience = parts.audienceFor(sessionId);
  const opening = Promise.withResolvers<LiveNotebook>();
  const r = parts.startRProcesses(directory);
  let runtime: Runtime | undefined;
  let isClosed = false;
  let watch: NotebookWatch | undefined;
  let isRunning = (): boolean => false;
  let cells = (): Notebook['cells'] => notebook.cells;
  // Who waits for it says so; a failure to open is told to whoever opens.
  opening.promise.catch(() => {});

  function startProcesses(): void {
    const interpreter = environment.state().venv_python;
    // Nobody would end a runtime that started after the notebook was closed.
    runtime = interpreter === null || isClosed ? undefined : parts.startRuntime(interpreter, directory, () => cells());
    if (!isClosed) r.processes.resume();
  }

  async function tellFinished(job: EnvironmentJob, more: object): Promise<void> {
    const opened = await opening.promise;
    const { sync_state } = environment.state();
    const isNew = job.status === 'completed' || sync_state !== toldSync;
    toldSync = sync_state;
    audience.broadcast('environment_job_finished', { ...finishedPayload(environment, opened, job, isNew), ...more });
    opened.announce(job.stale_cell_ids);
  }

  /** As whoever watches knows it: a first job that fails ends the waiting too. */
  let toldSync: ReturnType<NotebookEnvironment['state']>['sync_state'] = 'pending';
  const environment = await parts.environments.open(directory, {
    isRunning: () => isRunning(),
    told(event, job, more) {
      if (event !== 'finished') audience.broadcast(`environment_job_${event}`, { environment_job: job });
      else if (!isClosed)
        tellFinished(job, more).catch((error: unknown) => parts.log.warning('After an environment job', { error }));
    },
    async stopProcesses() {
      const before = runtime;
      runtime = undefined;
      await before?.close();
      await r.processes.rest();
    },
    lookAgain: async () => (await opening.promise).refresh(),
    startProcesses,
  });
  toldSync = environment.state().sync_state;
  const store = await parts.stores.open(path.join(directory, '.svc/artifacts')).catch(async (error: unknown) => {
    await environment.close();
    throw error;
  });
  const notes = await openCellNotes(directory);
  const remote = remoteCells({
    workers: parts.workers,
    find: parts.catalog.find,
    environment: (language) =>
      language === 'r' ? lockedLibraryBlock(directory) : lockedBlock(directory, environment.state().python_version),
    caller,
    origin: parts.origin,
  });
  const mountReaders = [
    localMountReader({ objection: parts.mountObjection, lend: parts.lend }),
    tableReader(tables),
    datasetReader({ registry: parts.registry(caller), directory }),
    remoteMountReader({ ...parts.mounts, principal: caller.principal, isElsewhere: remote.isElsewhere }),
  ];
  const outside = createOutside([
    fetchReader({ cache: await openFetchCache(directory), policy: parts.network }),
    ...mountReaders,
    await openWorkerEnvironments({ directory, environmentOf: remote.environmentOf }),
  ]);
  const sql = {
    ...parts.sql,
    mounts: createOutside(mountReaders),
    principal: caller.principal,
    objection: parts.mountObjection,
    snapshots: await openSqlSnapshots(directory),
  };
  const languages = createLanguages({
    python: {
      analysis: parts.analysis,
      runtime: () => runtime,
      mayRunHere: parts.mayRunHere,
      outside,
      remote,
      ambient(seconds) {
        const url = parts.address();
        if (url === null) return undefined;
        const { token, end } = parts.runTokens.mint({ caller, sessionId, seconds });
        return { url, token, promoteUrl: `${url}/v1/notebooks/${sessionId}`, end };
      },
    },
    prompt: { ...parts.prompt, onUsage: (usage) => parts.onModelAnswer?.(caller, usage) },
    r: { ...parts.r, ...r, mayRunHere: parts.mayRunHere, outside, remote },
    sql,
  });
  begin(environment);
  startProcesses();
  const live = await openLiveNotebook({
    sessionId,
    notebook: { ...notebook, fetched: await fetchEnv(notebook, parts.sql.serverEnv) },
    audience,
    environment,
    store,
    languages,
    pythonRuntime: () => (parts.mayRunHere ? runtime : undefined),
    notes,
    shapeOf: createShaper({
      languages,
      workers: {
        identity: remote.identity,
        names: ({ workers }) => parts.catalog.names(workers),
        areOwnUsed: parts.catalog.isEditable,
      },
      environmentHash: () => environment.state().lockfile_hash,
      chosen: (cellId) => notes.of(cellId).widget_values,
      defaultTimeout: parts.defaultTimeout,
    }),
    analyseAhead: (source) => void parts.analysis.analyse(source).catch(() => {}),
    hold: () => parts.holds.over(directory),
    onEdited: () => onEdited(session),
    // However long it took: whoever waited for it has just begun to look.
    onRested: () => session.touch(),
    log: parts.log,
    tableWriter: tables.writer,
    team: parts.team?.cacheFor({
      store,
      principal: caller.principal,
      buildEnv: () => buildEnvOf(environment.state().python_version),
    }),
    isAttested: (language) => isAttested(environment, language),
    keepSuperseded: parts.keepSuperseded,
    lockSeconds: parts.lockSeconds,
    readLimits: parts.readLimits,
    codec: parts.codec,
  }).catch(async (error: unknown) => {
    opening.reject(error);
    isClosed = true;
    await runtime?.close();
    await r.processes.close();
    await environment.close();
    await store.close();
    audience.close('closed');
    throw error;
  });
  isRunning = () => live.runner.active() !== null;
  cells = () => live.notebook().cells;
  opening.resolve(live);
  const tell = (): void => audience.broadcast('notebook_state', toldState(session));
  const session: OpenSession = {
    sessionId,
    live,
    widgets: createWidgets(live),
    connections: createConnections({ ...sql, notebook: live.notebook }),
    tests: createCellTests({
      live,
      broadcast: (type, payload) => audience.broadcast(type, payload),
      async installPytest() {
        const job = await session.startJob({ action: 'add', requirement: 'pytest', forTests: true }).ended;
        return job.status === 'completed';
      },
    }),
    environment,
    workersPanel: parts.workersPanel,
    tenant: parts.hasTenants ? caller.tenant : undefined,
    principal: caller.principal,
    activeAt: parts.now(),
    touch() {
      session.activeAt = parts.now();
    },
    startJob(request) {
      live.assertFree('run');
      session.touch();
      return environment.start(request);
    },
    hint(cellIds, reason) {
      const now = live.notebook();
      const workers = cellIds.flatMap((id) => {
        const cell = now.cells.find((one) => one.id === id);
        const directives = live.shape().cells.get(id)?.directives;
        return cell && directives ? resolveWorker(directives, cell, now).value : [];
      });
      for (const worker of new Set(workers)) parts.hints.give(sessionId, now, worker, reason);
    },
    async configure(edit) {
      await live.change(edit);
      tell();
    },
    async fetchEnv() {
      await live.refresh(await fetchEnv(live.notebook(), parts.sql.serverEnv));
      tell();
    },
    async reload() {
      try {
        await live.reload();
        tell();
      } catch (error) {
        parts.log.warning('A notebook changed on disk and could not be read', { error, path: directory });
      }
    },
    isThere: async () => (await folderIdentity(directory)) === folder,
    async close(reason) {
      isClosed = true;
      watch?.close();
      await live.stop();
      await runtime?.close();
      await r.processes.close();
      audience.close(reason);
    },
    async putAway() {
      await live.close();
      await dropClaim(directory, sessionId);
    },
  };
  async function claimIt(): Promise<void> {
    // Whoever has it open in another process keeps the claim: this one only looks.
    const claim = await readClaim(directory);
    if (!claim || claim.pid === process.pid)
      await writeClaim(directory, { pid: process.pid, server: parts.address(), session_id: sessionId });
  }
  void live.lookAround();
  try {
    if (parts.holds.over(directory))
      void parts.holds.free(directory).then(() => (isClosed ? undefined : claimIt().catch(() => {})));
    else await claimIt();
    watch = await watchNotebook(directory, () => void session.reload(), { read: sourcesRead(notebook) });
  } catch (error) {
    await session.close('closed');
    await session.putAway();
    // Somebody deleted it while it was being opened.
    throw errorCode(error) === 'ENOENT' ? refusals.notebookDirectoryNotFound() : error;
  }
  return session;
}
