// The environment of one notebook, brought about by one job at a time that others can watch. Until the first job has ended
// it is pending; a job that fails leaves what was there before usable. A job is over only when everybody who holds the
// notebook open has let go of the old processes and looked at the cells anew: until then no cell may run.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { refusals } from '../errors/index.ts';
import { createAttempts, inWords } from './attempt.ts';
import type { PythonBackend } from './backend.ts';
import { type EnvironmentJob, newJob, openHistory, withOutput } from './jobs.ts';
import type { Lender } from './lending.ts';
import { withoutPasswords } from './masked.ts';
import type { EnvironmentWatcher, NotebookEnvironment, StartedJob } from './notebookEnvironment.ts';
import { type JobRequest, type Operation, operationFor } from './operations.ts';
import type { FindPythons } from './pythons.ts';
import type { RTools } from './renv.ts';
import { type LastSync, stateOf } from './state.ts';
import { surveyEnvironment } from './survey.ts';
import { readSyncRecord, type SyncRecord, writeSyncRecord } from './syncRecord.ts';
import { createUndo } from './undo.ts';

export interface EnvironmentParts {
  readonly directory: string;
  readonly backend: PythonBackend;
  readonly r: RTools;
  /** Whether packages may come from where a requirement says; a shared server asks only its index. */
  readonly mayUseAddresses: boolean;
  readonly pythons: FindPythons;
  readonly lender?: Lender | undefined;
  readonly watchers: ReadonlySet<EnvironmentWatcher>;
  readonly log: Readonly<
    Record<'info' | 'warning', (message: string, fields?: Readonly<Record<string, unknown>>) => void>
  >;
}

const togetherMilliseconds = 50;

export async function openEnvironment(parts: EnvironmentParts): Promise<NotebookEnvironment> {
  const { directory, r, watchers } = parts;
  const synced = readSyncRecord(directory);
  let [survey, record, rState] = await Promise.all([
    surveyEnvironment(directory),
    synced,
    synced.then((known) => r.survey(directory, known.r)),
  ]);
  const [history, isCutShort] = await Promise.all([openHistory(directory), createUndo(directory).isPending()]);
  let last: LastSync = {
    // What the last job left is still there: nothing has to be done before cells may run.
    isSettled: survey.fingerprint !== '' && survey.fingerprint === record.python.fingerprint && !isCutShort,
    error: null,
    at: record.python.last_synced_at,
    durationMs: record.python.last_sync_duration_ms,
    installedHash: record.python.lockfile_hash,
  };
  let state = stateOf(survey, last);
  let job: EnvironmentJob | null = null;
  /** By a clock that nobody sets back. */
  let startedAt = performance.now();
  const elapsed = (): number => Math.round(performance.now() - startedAt);
  let running: Promise<EnvironmentJob> | undefined;
  let stop = new AbortController();
  let due: NodeJS.Timeout | undefined;
  let isCancellable = false;
  let isClosed = false;
  /** What is kept for the next session is written while others hear of the end already. */
  let saved: Promise<unknown> = Promise.resolve();

  function tell(event: 'started' | 'progress' | 'finished', current: EnvironmentJob, more = {}): EnvironmentJob {
    job = current;
    clearTimeout(due);
    due = undefined;
    for (const watcher of watchers) watcher.told(event, current, more);
    return current;
  }

  const enter = (phase: string): void => {
    if (job) tell('progress', { ...job, phase });
  };

  function hear(stream: 'stdout' | 'stderr', line: string): void {
    if (!job) return;
    const next = withOutput(job, stream, line);
    if (next === job) return;
    job = next;
    // Lines that come together are told together.
    due ??= setTimeout(() => job && tell('progress', job), togetherMilliseconds);
  }

  const attempts = createAttempts({ ...parts, hear, isLeaving: () => isClosed });

  async function finish(operation: Operation, problem: string | undefined): Promise<EnvironmentJob> {
    const before = state;
    const isFirst = !last.isSettled;
    const now = Date.now();
    const durationMs = elapsed();
    const done = problem === undefined;
    survey = await surveyEnvironment(directory);
    if (operation.language === 'r') await noteR(problem, now);
    else notePython(problem, { last_synced_at: now, last_sync_duration_ms: durationMs });
    if (done && last.error === null) noteInstalled();
    last = { ...last, isSettled: true, installedHash: record.python.lockfile_hash };
    rState = await r.survey(directory, record.r);
    const next = stateOf(survey, last);
    const hasChanged = next.lockfile_hash !== before.lockfile_hash;
    // The new hash holds before anybody looks: what is looked at under it runs in it.
    state = next;
    const isReplaced = done || isFirst || hasChanged || survey.isMakeshift;
    const stale = !isClosed && isReplaced ? await renew() : [];
    const staleIds = hasChanged ? stale : [];
    const final: EnvironmentJob = {
      ...(job ?? newJob(operation.action, operation.command, operation.package, 'uv_running')),
      command: operation.logged ?? operation.command,
      status: done ? 'completed' : 'failed',
      phase: done ? 'completed' : 'failed',
      finished_at: Date.now(),
      duration_ms: elapsed(),
      lockfile_changed: hasChanged,
      stale_cell_count: staleIds.length,
      stale_cell_ids: staleIds,
      error: problem ?? null,
    };
    history.add(final);
    if (!isClosed) save();
    return final;
  }

  function save(): void {
    saved = saved
      .then(() => Promise.all([history.save(), writeSyncRecord(directory, record)]))
      .catch((error: unknown) => parts.log.warning('What jobs did could not be kept', { error, path: directory }));
  }

  function noteInstalled(): void {
    const { fingerprint, lockfileHash } = survey;
    record = { ...record, python: { ...record.python, fingerprint, lockfile_hash: lockfileHash } };
  }

  function notePython(
    problem: string | undefined,
    synced: Pick<SyncRecord['python'], 'last_synced_at' | 'last_sync_duration_ms'>,
  ): void {
    const python = { ...record.python, ...(problem === undefined ? synced : { fingerprint: '' }) };
    record = { ...record, python };
    last = { ...last, error: problem ?? null, at: python.last_synced_at, durationMs: python.last_sync_duration_ms };
  }

  async function noteR(problem: string | undefined, now: number): Promise<void> {
    const { current_lock_hash } = await r.survey(directory, record.r);
    const version = (await r.version()) ?? '';
    record = {
      ...record,
      r:
        problem === undefined
          ? { lock_hash: current_lock_hash, r_version: version, last_synced_at: now, sync_error: null }
          : { ...record.r, sync_error: problem },
    };
  }

  async function renew(): Promise<readonly string[]> {
    enter('invalidating_warm_pool');
    const all = [...watchers];
    await Promise.all(all.map((watcher) => watcher.stopProcesses()));
    enter('recomputing_staleness');
    const stale = new Set((await Promise.all(all.map((watcher) => watcher.lookAgain()))).flat());
    enter('starting_warm_pool');
    for (const watcher of all) watcher.startProcesses();
    return [...stale];
  }

  async function run(operation: Operation, signal: AbortSignal): Promise<EnvironmentJob> {
    // Whoever asked for the job has its answer before the work begins.
    await nextTurn();
    const problem = await attempts.attempt(operation, signal).catch(inWords);
    isCancellable = false;
    if (operation.action !== 'sync') enter('refreshing_runtime');
    const final = await finish(operation, problem).catch((error: unknown): EnvironmentJob => {
      const reason = inWords(error);
      last = { ...last, isSettled: true, error: reason };
      state = stateOf(survey, last);
      return {
        ...(job ?? newJob(operation.action, operation.command, operation.package, 'failed')),
        status: 'failed',
        phase: 'failed',
        finished_at: Date.now(),
        error: reason,
      };
    });
    running = undefined;
    parts.log.info('Environment job ended', {
      path: directory,
      action: final.action,
      status: final.status,
      duration_ms: final.duration_ms,
      error: final.error,
    });
    return tell('finished', final, operation.imported);
  }

  function start(request: JobRequest): StartedJob {
    if (request.action === 'add' && request.hasAddress && !parts.mayUseAddresses)
      throw refusals.environmentRequest(
        'This server takes packages from its index only: name one with or without a version.',
      );
    if (running)
      throw refusals.environmentBusy(job, `Another environment update is already in progress: ${labelOf(job)}`);
    const operation = operationFor(request, survey.requestedPython);
    if ([...watchers].some((watcher) => watcher.isRunning())) {
      throw refusals.environmentBusy(
        job,
        `Notebook execution is currently running. Wait for execution to finish before starting ${operation.label}.`,
      );
    }
    stop = new AbortController();
    isCancellable = true;
    const phase = operation.action === 'import' ? 'preparing_import' : 'uv_running';
    const started = newJob(operation.action, operation.command, operation.package, phase);
    job = started;
    startedAt = performance.now();
    parts.log.info('Environment job started', { path: directory, command: started.command });
    running = run(operation, stop.signal);
    return { job: tell('started', started), ended: running };
  }

  return {
    state: () => state,
    job: () => job ?? history.list()[0] ?? null,
    isBusy: () => running !== undefined,
    blocksRuns() {
      if (state.sync_state === 'pending') return state.sync_notice;
      if (running) return `Environment update in progress. Running cells is disabled until ${labelOf(job)} finishes.`;
      if (state.venv_python !== null) return null;
      return `Notebook environment is not ready. Sync it again when this is solved: ${state.sync_error}`;
    },
    payload: () => ({
      environment: state,
      environment_job: job ?? history.list()[0] ?? null,
      environment_job_history: history.list(),
      dependencies: survey.dependencies,
      resolved_dependencies: survey.resolved,
      r_environment: rState,
    }),
    requirements: () => survey.requirements.map(withoutPasswords),
    rPackages: () => r.packages(directory),
    start,
    sync: () => running ?? start({ action: 'sync' }).ended,
    leaveAlone(reason) {
      last = { ...last, isSettled: true, error: reason };
      state = stateOf(survey, last);
    },
    cancel() {
      if (!isCancellable) return false;
      stop.abort();
      return true;
    },
    async rest(milliseconds) {
      if (!running) return;
      const timer = setTimeout(() => stop.abort(), milliseconds);
      await running;
      clearTimeout(timer);
    },
    async close() {
      isClosed = true;
      stop.abort();
      await running;
      await saved;
    },
  };
}

const labelOf = (job: EnvironmentJob | null): string =>
  job === null
    ? 'sync'
    : job.action === 'import'
      ? 'environment import'
      : [job.action, job.package].filter((word) => word !== null).join(' ');
