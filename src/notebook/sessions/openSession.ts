// Opens one notebook: its environment, its store, its live state and the watch over its files, wired to each other.
import path from 'node:path';
import type { SharedStores } from '../../artifacts/index.ts';
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
import { type Notebook, sourcesRead, watchNotebook } from '../document/index.ts';
import { createLanguages } from '../languages/index.ts';
import {
  type Audience,
  createWidgets,
  type LiveNotebook,
  openCellNotes,
  openLiveNotebook,
  stateRecord,
  type Widgets,
} from '../live/index.ts';
import { createShaper } from '../shape/index.ts';
import type { CloseReason } from './eviction.ts';
import type { Holds } from './holds.ts';

export interface OpenSession {
  readonly sessionId: string;
  readonly live: LiveNotebook;
  readonly widgets: Widgets;
  readonly environment: NotebookEnvironment;
  readonly tenant: string | null;
  readonly principal: string | null;
  activeAt: number;
  /** Reads the files again and tells whoever watches. */
  reload(): Promise<void>;
  close(reason: CloseReason): Promise<void>;
}

export interface SessionParts {
  readonly stores: SharedStores;
  readonly analysis: Analysis;
  readonly audienceFor: (sessionId: string) => Audience & { close(reason: CloseReason): void };
  readonly pythons: () => Promise<readonly InstalledPython[]>;
  readonly uv: () => Promise<string>;
  readonly startRuntime: (interpreter: string) => Runtime;
  readonly holds: Holds;
  readonly mayRunHere: boolean;
  readonly keepSuperseded: number;
  readonly lockSeconds: number;
  readonly codec: 'cloudpickle' | 'pickle';
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
  const sessionId = crypto.randomUUID();
  const audience = parts.audienceFor(sessionId);
  const python = await choosePython(directory, await parts.pythons());
  const opening = Promise.withResolvers<LiveNotebook>();
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
    const opened = await opening.promise;
    await opened.refresh();
    audience.broadcast('environment_job_finished', {
      environment_job: job,
      environment_job_history: [],
      cells: opened.cellRecords(),
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
  const store = await parts.stores.open(path.join(directory, '.svc/artifacts'));
  const notes = await openCellNotes(directory);
  const languages = createLanguages({
    python: { analysis: parts.analysis, runtime: () => runtime, mayRunHere: parts.mayRunHere },
  });
  begin(environment);
  const live = await openLiveNotebook({
    sessionId,
    notebook,
    audience,
    environment,
    store,
    languages,
    pythonRuntime: () => (parts.mayRunHere ? runtime : undefined),
    notes,
    shapeOf: createShaper({
      languages,
      environmentHash: () => environment.state().lockfile_hash,
      chosen: (cellId) => notes.of(cellId).widget_values,
    }),
    analyseAhead: (source) => void parts.analysis.analyse(source).catch(() => {}),
    hold: () => parts.holds.over(directory),
    onEdited: () => onEdited(session),
    log: parts.log,
    keepSuperseded: parts.keepSuperseded,
    lockSeconds: parts.lockSeconds,
    codec: parts.codec,
  }).catch(async (error: unknown) => {
    await environment.close();
    await store.close();
    throw error;
  });
  opening.resolve(live);
  const session: OpenSession = {
    sessionId,
    live,
    widgets: createWidgets(live),
    environment,
    tenant: caller.tenant,
    principal: caller.principal,
    activeAt: parts.now(),
    async reload() {
      try {
        await live.reload();
        audience.broadcast('notebook_state', stateRecord(session));
      } catch (error) {
        parts.log.warning('A notebook changed on disk and could not be read', { error, path: directory });
      }
    },
    async close(reason) {
      isClosed = true;
      watch.close();
      await live.close();
      await runtime?.close();
      audience.close(reason);
    },
  };
  const watch = await watchNotebook(directory, () => void session.reload(), { read: sourcesRead(notebook) });
  return session;
}

async function choosePython(directory: string, pythons: readonly InstalledPython[]): Promise<InstalledPython> {
  const wanted = await requestedPython(directory);
  const found = pythons.find(({ version }) => version === wanted) ?? (wanted === undefined ? pythons[0] : undefined);
  if (!found) throw refusals.pythonNotAvailable(wanted ?? '3');
  return found;
}
