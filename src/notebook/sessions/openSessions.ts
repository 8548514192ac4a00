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
import { createNotebook, type NewNotebook, type Notebook, readNotebook, watchNotebook } from '../document/index.ts';
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
  readonly mayRunHere: boolean;
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

  async function start(notebook: Notebook, caller: Caller): Promise<OpenSession> {
    await makeRoom(1);
    const session = await openSession(parts, notebook, caller, now(), tellOthers);
    sessions.set(session.sessionId, session);
    return session;
  }

  /** The watch takes what this process writes for its own, so sessions of one notebook tell each other. */
  function tellOthers(sessionId: string, directory: string): void {
    for (const other of sessions.values()) {
      if (other.sessionId !== sessionId && other.live.directory === directory) readAgain(parts, other);
    }
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
      const underWay = opening.get(key) ?? readNotebook(directory).then((notebook) => start(notebook, caller));
      opening.set(key, underWay);
      try {
        const session = await underWay;
        await session.environment.sync();
        return session;
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

async function openSession(
  parts: OpenSessionsParts,
  notebook: Notebook,
  caller: Caller,
  activeAt: number,
  onEdited: (sessionId: string, directory: string) => void,
): Promise<OpenSession> {
  const { directory } = notebook;
  const sessionId = crypto.randomUUID();
  const audience = parts.audienceFor(sessionId);
  const python = await choosePython(directory, await parts.pythons());
  let live: LiveNotebook | undefined;
  let runtime: Runtime | undefined;
  let isClosed = false;

  async function onJob(event: 'started' | 'progress' | 'finished', job: EnvironmentJob): Promise<void> {
    if (event !== 'finished') return audience.broadcast(`environment_job_${event}`, { environment_job: job });
    // Nobody would end a runtime that started after the notebook was closed.
    if (isClosed) return;
    const interpreter = environment.state().venv_python;
    const before = runtime;
    runtime = interpreter === null ? undefined : parts.startRuntime(interpreter);
    await before?.close();
    await live?.refresh();
    audience.broadcast('environment_job_finished', {
      environment_job: job,
      environment_job_history: [],
      cells: live?.cellRecords() ?? [],
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
  live = await openLiveNotebook({
    sessionId,
    notebook,
    audience,
    environment,
    store: await openArtifactStore(path.join(directory, '.svc/artifacts')),
    runtime: () => runtime,
    shapeOf: createShaper({ analysis: parts.analysis, environmentHash: () => environment.state().lockfile_hash }),
    moduleSource: (source) => parts.analysis.moduleSource(source),
    hold: () => parts.holds.over(directory),
    mayRunHere: parts.mayRunHere,
    lockSeconds: parts.lockSeconds,
    codec: parts.codec,
    onEdited: () => onEdited(sessionId, directory),
  });
  const session: OpenSession = {
    sessionId,
    live,
    environment,
    tenant: caller.tenant,
    principal: caller.principal,
    activeAt,
  };
  const opened = live;
  const watch = await watchNotebook(directory, () => readAgain(parts, session));
  return {
    ...session,
    live: {
      ...opened,
      close: async () => {
        isClosed = true;
        watch.close();
        await opened.close();
        await runtime?.close();
      },
    },
  };
}

/** Somebody else has written the notebook's files. */
function readAgain({ audienceFor, log }: OpenSessionsParts, session: OpenSession): void {
  void session.live.reload().then(
    () => audienceFor(session.sessionId).broadcast('notebook_state', stateRecord(session)),
    (error: unknown) => log.warning('A notebook changed on disk and could not be read', { error }),
  );
}

async function choosePython(directory: string, pythons: readonly InstalledPython[]): Promise<InstalledPython> {
  const wanted = await requestedPython(directory);
  const found = pythons.find(({ version }) => version === wanted) ?? (wanted === undefined ? pythons[0] : undefined);
  if (!found) throw refusals.pythonNotAvailable(wanted ?? '3');
  return found;
}
