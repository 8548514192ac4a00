// The notebooks that are open in this process. Opening one that is open already gives the same session (to anyone on a
// personal server, to the same principal on a shared one); idle ones are closed to make room.
import path from 'node:path';
import { openArtifactStore } from '../../artifacts/index.ts';
import type { Analysis } from '../../engine/index.ts';
import {
  type EnvironmentJob,
  type InstalledPython,
  type NotebookEnvironment,
  openNotebookEnvironment,
  requestedPython,
} from '../../environments/index.ts';
import { refusals } from '../../errors/index.ts';
import type { Caller } from '../../identity/index.ts';
import type { Runtime } from '../../runtimes/index.ts';
import {
  createNotebook,
  type NewNotebook,
  type Notebook,
  readNotebook,
  sourcesRead,
  watchNotebook,
} from '../document/index.ts';
import { type Audience, createShaper, type LiveNotebook, openLiveNotebook, stateRecord } from '../live/index.ts';
import { type CloseReason, chooseEvictions, type EvictionLimits } from './eviction.ts';
import type { Holds } from './holds.ts';

export interface OpenSession {
  readonly sessionId: string;
  readonly live: LiveNotebook;
  readonly environment: NotebookEnvironment;
  readonly tenant: string | null;
  readonly principal: string | null;
  activeAt: number;
}

export interface OpenSessions {
  find(sessionId: string): OpenSession | undefined;
  list(): readonly OpenSession[];
  /** `parent` is a checked path. */
  create(parent: string, wanted: NewNotebook, caller: Caller): Promise<OpenSession>;
  /** `directory` is a checked path. Waits for the environment. */
  open(directory: string, caller: Caller): Promise<OpenSession>;
  close(sessionId: string, reason: CloseReason): Promise<void>;
  closeAll(reason: CloseReason): Promise<void>;
  /** Closes what is idle or too much; done every minute by the server, and before each open. */
  sweep(): Promise<void>;
}

export interface OpenSessionsParts {
  readonly personal: boolean;
  readonly analysis: Analysis;
  readonly audienceFor: (sessionId: string) => Audience & { close(reason: CloseReason): void };
  readonly pythons: () => Promise<readonly InstalledPython[]>;
  readonly uv: () => Promise<string>;
  readonly startRuntime: (interpreter: string) => Runtime;
  readonly limits: EvictionLimits;
  readonly availableBytes: () => number;
  readonly holds: Holds;
  readonly lockSeconds: number;
  readonly codec: 'cloudpickle' | 'pickle';
  readonly log: { warning(message: string, fields?: Readonly<Record<string, unknown>>): void };
  readonly now?: () => number;
}

export function createOpenSessions(parts: OpenSessionsParts): OpenSessions {
  const { personal, now = () => performance.now() / 1000 } = parts;
  const sessions = new Map<string, OpenSession>();
  const opening = new Map<string, Promise<OpenSession>>();

  const openFor = (directory: string, { principal }: Caller): OpenSession | undefined =>
    [...sessions.values()].find(
      (session) =>
        session.live.directory === directory && (personal || (principal !== null && session.principal === principal)),
    );

  async function start(notebook: Notebook, caller: Caller, begin?: Begin): Promise<OpenSession> {
    await makeRoom(1);
    const session = await openSession(parts, notebook, caller, now(), begin);
    sessions.set(session.sessionId, session);
    return session;
  }

  async function startSynced(directory: string, caller: Caller): Promise<OpenSession> {
    let synced: Promise<unknown> | undefined;
    const notebook = await readNotebook(directory);
    // uv works while the cells are looked at.
    const session = await start(notebook, caller, (environment) => {
      synced = environment.sync();
    });
    await synced;
    return session;
  }

  async function makeRoom(count: number): Promise<void> {
    const candidates = [...sessions.values()].map(({ sessionId, activeAt, live }) => ({
      sessionId,
      activeAt,
      busy: live.isBusy() || parts.holds.over(live.directory) !== undefined,
    }));
    for (const { sessionId, reason } of chooseEvictions(candidates, parts.limits, now(), {
      opening: count,
      availableBytes: parts.availableBytes(),
    }))
      await close(sessionId, reason);
  }

  async function close(sessionId: string, reason: CloseReason): Promise<void> {
    const session = sessions.get(sessionId);
    if (!session) return;
    sessions.delete(sessionId);
    await session.live.close();
    parts.audienceFor(sessionId).close(reason);
  }

  return {
    find: (sessionId) => sessions.get(sessionId),
    list: () => [...sessions.values()],
    async create(parent, wanted, caller) {
      const session = await start(await createNotebook(parent, wanted), caller);
      // The answer does not wait for the environment; everybody hears when it is there.
      void session.environment.sync();
      return session;
    },
    async open(directory, caller) {
      const known = openFor(directory, caller);
      if (known) return known;
      const key = personal ? directory : `${directory}\0${caller.principal}`;
      const underWay = opening.get(key) ?? startSynced(directory, caller);
      opening.set(key, underWay);
      try {
        return await underWay;
      } finally {
        opening.delete(key);
      }
    },
    close,
    sweep: () => makeRoom(0),
    async closeAll(reason) {
      await Promise.all([...sessions.keys()].map((sessionId) => close(sessionId, reason)));
    },
  };
}

/** What is done with the environment while the notebook is still being opened. */
type Begin = (environment: NotebookEnvironment) => void;

async function openSession(
  parts: OpenSessionsParts,
  notebook: Notebook,
  caller: Caller,
  activeAt: number,
  begin: Begin = () => {},
): Promise<OpenSession> {
  const { directory } = notebook;
  const sessionId = crypto.randomUUID();
  const audience = parts.audienceFor(sessionId);
  const python = await choosePython(directory, await parts.pythons());
  const opening = Promise.withResolvers<LiveNotebook>();
  let runtime: Runtime | undefined;

  async function onJob(event: 'started' | 'progress' | 'finished', job: EnvironmentJob): Promise<void> {
    if (event !== 'finished') return audience.broadcast(`environment_job_${event}`, { environment_job: job });
    const interpreter = environment.state().venv_python;
    const before = runtime;
    runtime = interpreter === null ? undefined : parts.startRuntime(interpreter);
    await before?.close();
    const live = await opening.promise;
    await live.change(async (unchanged) => unchanged);
    audience.broadcast('environment_job_finished', {
      environment_job: job,
      environment_job_history: [],
      cells: live.cellRecords(),
      lockfile_changed: job.lockfile_changed,
      stale_cell_count: job.stale_cell_count,
      stale_cell_ids: job.stale_cell_ids,
      environment: environment.state(),
    });
  }

  const environment = await openNotebookEnvironment({
    directory,
    pythonVersion: python.version,
    interpreter: python.command,
    uv: parts.uv,
    onJob: (event, job) =>
      void onJob(event, job).catch((error: unknown) => parts.log.warning('After an environment job', { error })),
  });
  const store = await openArtifactStore(path.join(directory, '.svc/artifacts'));
  begin(environment);
  const live = await openLiveNotebook({
    sessionId,
    notebook,
    audience,
    environment,
    store,
    runtime: () => runtime,
    shapeOf: createShaper({ analysis: parts.analysis, environmentHash: () => environment.state().lockfile_hash }),
    analyseAhead: (source) => void parts.analysis.analyse(source).catch(() => {}),
    moduleSource: (source) => parts.analysis.moduleSource(source),
    hold: () => parts.holds.over(directory),
    lockSeconds: parts.lockSeconds,
    codec: parts.codec,
  }).catch((error: unknown) => {
    environment.close();
    throw error;
  });
  opening.resolve(live);
  const session: OpenSession = {
    sessionId,
    live,
    environment,
    tenant: caller.tenant,
    principal: caller.principal,
    activeAt,
  };
  const reload = (): void =>
    void live.reload().then(
      () => audience.broadcast('notebook_state', stateRecord(session)),
      (error: unknown) => parts.log.warning('A notebook changed on disk and could not be read', { error }),
    );
  const watch = await watchNotebook(directory, reload, { read: sourcesRead(notebook) });
  return {
    ...session,
    live: {
      ...live,
      close: async () => {
        watch.close();
        await live.close();
        await runtime?.close();
      },
    },
  };
}

async function choosePython(directory: string, pythons: readonly InstalledPython[]): Promise<InstalledPython> {
  const wanted = await requestedPython(directory);
  const found = pythons.find(({ version }) => version === wanted) ?? (wanted === undefined ? pythons[0] : undefined);
  if (!found) throw refusals.pythonNotAvailable(wanted ?? '3');
  return found;
}
