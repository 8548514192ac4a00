// The environment of a notebook as others see it: what stands in its files and how the last job ended.
import type { Survey } from './survey.ts';

export interface EnvironmentState {
  readonly requested_python_version: string;
  readonly runtime_python_version: string;
  readonly python_version: string;
  readonly lockfile_hash: string;
  readonly package_count: number;
  readonly declared_package_count: number;
  readonly resolved_package_count: number;
  readonly sync_state: 'pending' | 'ready' | 'failed';
  readonly sync_error: string | null;
  readonly sync_notice: string | null;
  readonly last_synced_at: number | null;
  readonly last_sync_duration_ms: number | null;
  readonly has_lockfile: boolean;
  readonly venv_python: string | null;
  readonly interpreter_source: 'venv' | 'unknown';
}

/** How the environment came to be what it is. */
export interface LastSync {
  /** False until the first job of this server has ended. */
  readonly isSettled: boolean;
  readonly error: string | null;
  readonly at: number | null;
  readonly durationMs: number | null;
  /** Of the lock that is really installed; null when nobody knows. */
  readonly installedHash: string | null;
}

const pendingNotice = 'The environment is being prepared; cells can be run when it is ready.';
const makeshiftNotice =
  'No package index can be reached: cells run without the packages that are missing. Sync again when one can be.';
const keptNotice = 'The last change failed; the environment from before is in use.';

export function stateOf(survey: Survey, last: LastSync): EnvironmentState {
  const isInstalled = last.error === null;
  // What is there may be older than the lock: results belong to what is there, and without knowing it none are made.
  const isKnown = last.isSettled && (isInstalled || survey.isMakeshift || last.installedHash !== null);
  const python = isKnown ? survey.venvPython : null;
  const version = python === null ? '' : survey.runtimeVersion;
  return {
    requested_python_version: survey.requestedPython,
    runtime_python_version: version,
    python_version: version,
    lockfile_hash:
      isInstalled || survey.isMakeshift ? survey.lockfileHash : (last.installedHash ?? survey.lockfileHash),
    package_count: survey.dependencies.length,
    declared_package_count: survey.dependencies.length,
    resolved_package_count: survey.resolved.length,
    sync_state: !last.isSettled ? 'pending' : python === null ? 'failed' : 'ready',
    sync_error: last.error,
    sync_notice: noticeOf(survey, last, python),
    last_synced_at: last.at,
    last_sync_duration_ms: last.durationMs,
    has_lockfile: survey.hasLockfile,
    venv_python: python,
    interpreter_source: python === null ? 'unknown' : 'venv',
  };
}

function noticeOf({ isMakeshift }: Survey, { isSettled, error }: LastSync, python: string | null): string | null {
  if (!isSettled) return pendingNotice;
  if (error === null || python === null) return null;
  return isMakeshift ? makeshiftNotice : keptNotice;
}
