// The environment of one notebook, brought about by one job at a time that others can watch. Until the first job has ended
// it is pending; a job that fails leaves what was there before usable. A job is over only when everybody who holds the
// notebook open has let go of the old processes and looked at the cells anew: until then no cell may run.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { refusals } from '../errors/index.ts';
import { afterWork } from './afterWork.ts';
import { createAttempts, inWords } from './attempt.ts';
import type { PythonBackend } from './backend.ts';
import { isSyncing, objectionToCells, objectionToJob, openedCourse } from './course.ts';
import { readInstalled, venvPlace } from './installed.ts';
import { type EnvironmentJob, openHistory } from './jobs.ts';
import type { PackageLender } from './lending.ts';
import { withoutPasswords } from './masked.ts';
import type { EnvironmentWatcher, NotebookEnvironment, StartedJob } from './notebookEnvironment.ts';
import { type JobRequest, namesAddress, type Operation, operationFor } from './operations.ts';
import type { FindPythons } from './pythons.ts';
import type { RTools } from './renv.ts';
import { surveyEnvironment } from './survey.ts';
import { readSyncRecord, writeSyncRecord } from './syncRecord.ts';
import { followCourse } from './toldCourse.ts';
import { createUndo } from './undo.ts';

export interface EnvironmentParts {
  readonly directory: string;
  readonly backend: PythonBackend;
  readonly r: RTools;
  /** Whether packages may come from where a requirement says; a shared server asks only its index. */
  readonly mayUseAddresses: boolean;
  readonly pythons: FindPythons;
  readonly lender?: PackageLender | undefined;
  readonly watchers: ReadonlySet<EnvironmentWatcher>;
  readonly log: Readonly<
    Record<'info' | 'warning', (message: string, fields?: Readonly<Record<string, unknown>>) => void>
  >;
}

export async function openEnvironment(parts: EnvironmentParts): Promise<NotebookEnvironment> {
  const { directory, r, watchers } = parts;
  const record = await readSyncRecord(directory);
  const [survey, rNow, history, isCutShort] = await Promise.all([
    surveyEnvironment(directory),
    r.survey(directory, record.r),
    openHistory(directory),
    createUndo(directory).isPending(),
  ]);
  const course = followCourse(openedCourse({ survey, record, r: rNow, isCutShort }), watchers);
  const { happened, enter } = course;
  let running: Promise<EnvironmentJob> | undefined;
  let stop = new AbortController();
  /** What is kept for the next session is written while others hear of the end already. */
  let saved: Promise<unknown> = Promise.resolve();

  const attempts = createAttempts({ ...parts, hear: course.hear, isLeaving: () => course.now().isClosed });

  function save(): void {
    saved = saved
      .then(() => Promise.all([history.save(), writeSyncRecord(directory, course.now().record)]))
      .catch((error: unknown) => parts.log.warning('What jobs did could not be kept', { error, path: directory }));
  }

  async function run(operation: Operation, started: EnvironmentJob, signal: AbortSignal): Promise<EnvironmentJob> {
    /** By a clock that nobody sets back. */
    const startedAt = performance.now();
    const elapsed = (): number => Math.round(performance.now() - startedAt);
    // Whoever asked for the job has its answer before the work begins.
    await nextTurn();
    const installedBefore = await readInstalled(venvPlace(directory)).catch(() => undefined);
    const problem = await attempts.attempt(operation, signal).catch(inWords);
    happened({ type: 'worked' });
    if (operation.action !== 'sync') enter('refreshing_runtime');
    const final = await afterWork(
      { directory, r, watchers, course },
      { operation, problem, installedBefore },
      elapsed,
    ).then(
      ({ hasChanged, stale }): EnvironmentJob => ({
        ...(course.now().job ?? started),
        ...endedAs(problem),
        command: operation.logged ?? operation.command,
        duration_ms: elapsed(),
        lockfile_changed: hasChanged,
        stale_cell_count: stale.length,
        stale_cell_ids: [...stale],
      }),
      (error: unknown): EnvironmentJob => {
        const reason = inWords(error);
        happened({ type: 'lost', reason });
        return { ...(course.now().job ?? started), ...endedAs(reason) };
      },
    );
    history.add(final);
    if (!course.now().isClosed) save();
    running = undefined;
    const { action, status, duration_ms, error } = final;
    parts.log.info('Environment job ended', { path: directory, action, status, duration_ms, error });
    happened({ type: 'ended', job: final });
    course.tell('finished', operation.imported);
    return final;
  }

  function start(request: JobRequest): StartedJob {
    if (namesAddress(request) && !parts.mayUseAddresses)
      throw refusals.environmentRequest(
        'This server takes packages from its index only: name one with or without a version.',
      );
    const asked = (): Operation => operationFor(request, course.now().survey.requestedPython);
    const isCellRunning = [...watchers].some((watcher) => watcher.isRunning());
    const objection = objectionToJob(course.now(), () => asked().label, isCellRunning);
    if (objection !== null) throw refusals.environmentBusy(course.now().job, objection);
    const operation = asked();
    stop = new AbortController();
    happened({ type: 'started', operation });
    const { job } = course.now();
    if (!job) throw new Error('A job was started and is not there.');
    parts.log.info('Environment job started', { path: directory, command: job.command });
    running = run(operation, job, stop.signal);
    course.tell('started');
    return { job, ended: running };
  }

  const sync = (): Promise<EnvironmentJob> => running ?? start({ action: 'sync' }).ended;
  const lastJob = (): EnvironmentJob | null => course.now().job ?? history.list()[0] ?? null;

  return {
    state: () => course.now().state,
    job: lastJob,
    isBusy: () => course.now().stage !== 'resting',
    blocksRuns: () => objectionToCells(course.now()),
    payload: () => ({
      environment: course.now().state,
      environment_job: lastJob(),
      environment_job_history: history.list(),
      dependencies: course.now().survey.dependencies,
      resolved_dependencies: course.now().survey.resolved,
      r_environment: course.now().r,
    }),
    requirements: () => course.now().survey.requirements.map(withoutPasswords),
    rPackages: () => r.packages(directory),
    start,
    sync,
    async synced() {
      if (isSyncing(course.now())) await sync();
    },
    leaveAlone(reason) {
      happened({ type: 'leftAlone', reason });
    },
    cancel() {
      if (course.now().stage !== 'working') return false;
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
      happened({ type: 'closed' });
      stop.abort();
      await running;
      await saved;
    },
  };
}

const endedAs = (problem: string | undefined): Pick<EnvironmentJob, 'status' | 'phase' | 'finished_at' | 'error'> => ({
  status: problem === undefined ? 'completed' : 'failed',
  phase: problem === undefined ? 'completed' : 'failed',
  finished_at: Date.now(),
  error: problem ?? null,
});
