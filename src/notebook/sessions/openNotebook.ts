// Opens one notebook: its environment, its store, its live state and the watch over its files, wired to each other. It is
// open once, however many people have it open, and stays so until the last of their sessions is closed.
import path from 'node:path';
import type { EnvironmentJob, NotebookEnvironment } from '../../environments/index.ts';
import { refusals } from '../../errors/index.ts';
import { isPassing } from '../../files/index.ts';
import { type Caller, holds } from '../../identity/index.ts';
import type { Runtime } from '../../runtimes/index.ts';
import { resolveWorker } from '../annotations/index.ts';
import { createConnections } from '../connections/index.ts';
import { type Notebook, type NotebookWatch, sourcesRead, watchNotebook } from '../document/index.ts';
import {
  createCellTests,
  createReactive,
  createWidgets,
  type LiveNotebook,
  openCellNotes,
  openLiveNotebook,
  type Reactive,
  toldState,
} from '../live/index.ts';
import { createShaper } from '../shape/index.ts';
import { checkRuntimeFolder, errorCode, makeRuntimeFolder } from '../storage/index.ts';
import { createClaimKeeper } from './claim.ts';
import { buildEnvOf, finishedPayload, isAttested } from './environmentFacts.ts';
import { fetchEnv } from './fetchedEnv.ts';
import { folderIdentity } from './folderIdentity.ts';
import type { OpenNotebook, SharedNotebook } from './opened.ts';
import { openLanguages } from './openLanguages.ts';
import { openSession } from './openSession.ts';
import { createPeople } from './people.ts';
import type { SessionParts } from './sessionParts.ts';

/** What is done with the environment while the notebook is still being opened. */
export type Begin = (environment: NotebookEnvironment) => void;

export async function openNotebook(
  parts: SessionParts,
  notebook: Notebook,
  opener: Caller,
  begin: Begin = () => {},
  sessionId?: string,
): Promise<OpenNotebook> {
  const { directory } = notebook;
  await checkRuntimeFolder(directory);
  await makeRuntimeFolder(directory, parts.cellsRunAsOther);
  const folder = await folderIdentity(directory);
  const openingId = crypto.randomUUID();
  const people = createPeople(opener);
  const audience = parts.audienceFor(openingId);
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
  const processes = { environment, runtime: () => runtime, r };
  const { languages, remote, sql, tables } = await openLanguages(parts, directory, people, processes);
  begin(environment);
  startProcesses();
  let notebookNow = () => notebook;
  let reactive: Reactive | undefined;
  const connections = createConnections({ ...sql, notebook: () => notebookNow() });
  const live = await openLiveNotebook({
    openingId,
    notebook: { ...notebook, fetched: await fetchEnv(notebook, parts.sql.serverEnv) },
    audience,
    environment,
    store,
    languages,
    pythonRuntime: () => (parts.mayRunHere ? runtime : undefined),
    notes,
    connections,
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
    // However long it took: whoever waited for it has just begun to look.
    catchUp: async (files) => watch?.catchUp(files),
    onEdited: (cellIds) => reactive?.changed(cellIds),
    onRan: (outcome) => reactive?.ran(outcome),
    onRested() {
      people.session()?.touch();
      reactive?.rested();
    },
    log: parts.log,
    tableWriter: tables.writer,
    team: parts.team?.cacheFor({
      store,
      principal: () => people.caller().principal,
      buildEnv: () => buildEnvOf(environment.state().python_version),
    }),
    isAttested: (language) => isAttested(environment, language),
    keepSuperseded: parts.keepSuperseded,
    lockSeconds: parts.lockSeconds,
    questions: parts.questions,
    readLimits: parts.readLimits,
    keptLimits: parts.keptLimits,
    codec: parts.codec,
  }).catch(async (error: unknown) => {
    opening.reject(error);
    isClosed = true;
    await runtime?.close();
    await r.processes.close();
    await environment.close();
    await store.close();
    audience.end();
    throw error;
  });
  isRunning = () => live.runner.active() !== null;
  cells = () => live.notebook().cells;
  notebookNow = live.notebook;
  const follower = createReactive(live, {
    limits: parts.reactiveLimits,
    mayRun() {
      const objection = live.mayRun(null);
      return holds(people.caller(), 'notebook:execute') && (objection === null || objection.type === 'running');
    },
  });
  reactive = follower;
  opening.resolve(live);

  function tell(): void {
    const [first] = people.sessions();
    if (first) audience.broadcast('notebook_state', toldState(first));
  }

  async function reload(): Promise<void> {
    try {
      await live.reload();
      tell();
    } catch (error) {
      if (isPassing(error)) throw error; // the watch looks once more
      parts.log.warning('A notebook changed on disk and could not be read', { error, path: directory });
    }
  }

  const shared: SharedNotebook = {
    live,
    widgets: createWidgets(live, follower),
    connections,
    tests: createCellTests({
      live,
      broadcast: (type, payload) => audience.broadcast(type, payload),
      async installPytest() {
        const job = await shared.startJob({ action: 'add', requirement: 'pytest', forTests: true }).ended;
        return job.status === 'completed';
      },
    }),
    environment,
    workersPanel: parts.workersPanel,
    startJob(request) {
      live.assertFree('run');
      people.session()?.touch();
      return environment.start(request);
    },
    hint(cellIds, reason) {
      const now = live.notebook();
      const workers = cellIds.flatMap((id) => {
        const cell = now.cells.find((one) => one.id === id);
        const directives = live.shape().cells.get(id)?.directives;
        return cell && directives ? resolveWorker(directives, cell, now).value : [];
      });
      for (const worker of new Set(workers)) parts.hints.give(openingId, now, worker, reason);
    },
    async configure(edit) {
      await live.change(edit);
      tell();
    },
    async fetchEnv() {
      await live.refresh(await fetchEnv(live.notebook(), parts.sql.serverEnv));
      tell();
    },
  };

  const claim = createClaimKeeper({
    directory,
    server: parts.address,
    holds: parts.holds,
    session: () => (isClosed ? undefined : people.sessions()[0]?.sessionId),
  });
  const opened: OpenNotebook = {
    directory,
    environment,
    sessions: people.sessions,
    admit(caller, sessionId) {
      const { hasTenants, now } = parts;
      const session = openSession(opened, shared, { caller, sessionId, hasTenants, now });
      people.add(session);
      audience.admit(session.sessionId);
      return session;
    },
    async dismiss(session, reason) {
      people.remove(session);
      audience.dismiss(session.sessionId, reason);
      await claim.keep().catch((error: unknown) => parts.log.warning('An open notebook was not noted', { error }));
    },
    isThere: async () => (await folderIdentity(directory)) === folder,
    async close(reason) {
      isClosed = true;
      follower.close();
      watch?.close();
      await live.stop();
      await runtime?.close();
      await r.processes.close();
      for (const { sessionId } of people.sessions()) audience.dismiss(sessionId, reason);
      audience.end();
    },
    async putAway() {
      await live.close();
      await claim.drop();
    },
  };
  opened.admit(opener, sessionId);
  void live.lookAround();
  try {
    await claim.keep();
    watch = await watchNotebook(directory, reload, { read: sourcesRead(notebook) });
  } catch (error) {
    await opened.close('closed');
    await opened.putAway();
    // Somebody deleted it while it was being opened.
    throw errorCode(error) === 'ENOENT' ? refusals.notebookDirectoryNotFound() : error;
  }
  return opened;
}
