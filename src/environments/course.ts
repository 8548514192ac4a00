// The course of an environment as a value: what stands in its files, how the last job ended, the job that runs and how far it is.
// `after(course, event)` gives the next one; who may start a job or run a cell is read from it.
import { type EnvironmentJob, newJob, withOutput } from './jobs.ts';
import type { Operation } from './operations.ts';
import type { REnvironment } from './renv.ts';
import { type EnvironmentState, type LastSync, stateOf } from './state.ts';
import type { Survey } from './survey.ts';
import type { SyncRecord } from './syncRecord.ts';

export interface Course {
  readonly survey: Survey;
  readonly record: SyncRecord;
  readonly r: REnvironment;
  readonly last: LastSync;
  readonly state: EnvironmentState;
  /** The job that runs, or the last that ran here. */
  readonly job: EnvironmentJob | null;
  /** `settling`: it has done its work, and others are told; it cannot be cancelled any more. */
  readonly stage: 'resting' | 'working' | 'settling';
  readonly isClosed: boolean;
}

export type CourseEvent =
  | { readonly type: 'started'; readonly operation: Operation }
  | { readonly type: 'entered'; readonly phase: string }
  | { readonly type: 'heard'; readonly stream: 'stdout' | 'stderr'; readonly line: string }
  /** The work is done or has failed; what stands there is looked at next. */
  | { readonly type: 'worked' }
  /** `rNow`: R's environment as it is beside what was found. */
  | { readonly type: 'found'; readonly found: Found; readonly rNow?: REnvironment }
  /** What was found could not even be looked at. */
  | { readonly type: 'lost'; readonly reason: string }
  | { readonly type: 'ended'; readonly job: EnvironmentJob }
  | { readonly type: 'leftAlone'; readonly reason: string }
  | { readonly type: 'closed' };

/** What stands there after the work of a job. */
export interface Found {
  readonly problem: string | undefined;
  readonly survey: Survey;
  readonly at: number;
  readonly durationMs: number;
  /** Of a job for R: the lock and the version that it worked with. */
  readonly r?: { readonly lockHash: string; readonly version: string };
}

export interface OpenedCourse extends Pick<Course, 'survey' | 'record' | 'r'> {
  /** A job was cut short by the end of its server. */
  readonly isCutShort: boolean;
}

export function openedCourse({ survey, record, r, isCutShort }: OpenedCourse): Course {
  const last: LastSync = {
    // What the last job left is still there: nothing has to be done before cells may run.
    isSettled: survey.fingerprint !== '' && survey.fingerprint === record.python.fingerprint && !isCutShort,
    error: null,
    at: record.python.last_synced_at,
    durationMs: record.python.last_sync_duration_ms,
    installedHash: record.python.lockfile_hash,
  };
  return { survey, record, r, last, state: stateOf(survey, last), job: null, stage: 'resting', isClosed: false };
}

export function after(course: Course, event: CourseEvent): Course {
  const { job, last, survey } = course;
  switch (event.type) {
    case 'started':
      return { ...course, job: jobOf(event.operation), stage: 'working' };
    case 'entered':
      return job ? { ...course, job: { ...job, phase: event.phase } } : course;
    case 'heard': {
      const next = job && withOutput(job, event.stream, event.line);
      return next === job ? course : { ...course, job: next };
    }
    case 'worked':
      return { ...course, stage: 'settling' };
    case 'found':
      return { ...found(course, event.found), r: event.rNow ?? course.r };
    case 'lost':
      return settledAs(course, survey, { ...last, isSettled: true, error: event.reason });
    case 'ended':
      return { ...course, job: event.job, stage: 'resting' };
    case 'leftAlone':
      return settledAs(course, survey, { ...last, isSettled: true, error: event.reason });
    case 'closed':
      return { ...course, isClosed: true };
  }
}

const settledAs = (course: Course, survey: Survey, last: LastSync): Course => ({
  ...course,
  survey,
  last,
  state: stateOf(survey, last),
});

function found(course: Course, { problem, survey, at, durationMs, r }: Found): Course {
  const before = course.record;
  const isDone = problem === undefined;
  let { last, record } = course;
  if (r) {
    const synced = { lock_hash: r.lockHash, r_version: r.version, last_synced_at: at, sync_error: null };
    record = { ...before, r: isDone ? synced : { ...before.r, sync_error: problem } };
  } else {
    const synced = isDone ? { last_synced_at: at, last_sync_duration_ms: durationMs } : { fingerprint: '' };
    const python = { ...before.python, ...synced };
    record = { ...before, python };
    last = { ...last, error: problem ?? null, at: python.last_synced_at, durationMs: python.last_sync_duration_ms };
  }
  if (isDone && last.error === null) {
    const { fingerprint, lockfileHash } = survey;
    record = { ...record, python: { ...record.python, fingerprint, lockfile_hash: lockfileHash } };
  }
  const settled = { ...last, isSettled: true, installedHash: record.python.lockfile_hash };
  return { ...settledAs(course, survey, settled), record };
}

const jobOf = ({ action, command, package: name }: Operation): EnvironmentJob =>
  newJob(action, command, name, action === 'import' ? 'preparing_import' : 'uv_running');

/** Why no job may start now, or null. */
export function objectionToJob({ job, stage }: Course, label: () => string, isCellRunning: boolean): string | null {
  if (stage !== 'resting') return `Another environment update is already in progress: ${labelOf(job)}`;
  if (!isCellRunning) return null;
  return `Notebook execution is currently running. Wait for execution to finish before starting ${label()}.`;
}

/** A sync is due, or is not over: one that has done its work still settles, and no cell may run meanwhile. */
export const isSyncing = ({ state, stage, job }: Course): boolean =>
  state.sync_state === 'pending' || (stage !== 'resting' && job?.action === 'sync');

/** Why no cell may run now, or null. */
export function objectionToCells({ state, stage, job }: Course): string | null {
  if (state.sync_state === 'pending') return state.sync_notice;
  if (stage !== 'resting')
    return `Environment update in progress. Running cells is disabled until ${labelOf(job)} finishes.`;
  if (state.venv_python !== null) return null;
  return `Notebook environment is not ready. Sync it again when this is solved: ${state.sync_error}`;
}

const labelOf = (job: EnvironmentJob | null): string =>
  job === null
    ? 'sync'
    : job.action === 'import'
      ? 'environment import'
      : [job.action, job.package].filter((word) => word !== null).join(' ');
