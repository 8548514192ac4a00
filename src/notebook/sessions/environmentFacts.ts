// What an open notebook says of its environment.
import os from 'node:os';
import type { EnvironmentJob, NotebookEnvironment } from '../../environments/index.ts';
import { type LiveNotebook, withConsoleByReference } from '../live/index.ts';

/** As the runtime names what it runs on. */
export function buildEnvOf(pythonVersion: string): string {
  const minor = pythonVersion.split('.').slice(0, 2).join('.');
  return `cpython-${minor}-${process.platform}-${os.machine()}`;
}

/** What is installed is what the lock says: a result from here holds wherever the same lock is. */
export function isAttested(environment: NotebookEnvironment, language: string): boolean {
  const { environment: python, r_environment: r } = environment.payload();
  if (language === 'r') return r.sync_state === 'ok';
  return python.has_lockfile && python.sync_state === 'ready' && python.sync_error === null;
}

/** With all that is new; a failure has mostly left things as they were. */
export function finishedPayload(
  environment: NotebookEnvironment,
  live: LiveNotebook,
  job: EnvironmentJob,
  isNew: boolean,
): object {
  const { environment_job_history, environment_job: _, ...fresh } = environment.payload();
  return {
    environment_job: job,
    environment_job_history,
    cells: live.cellRecords().map(withConsoleByReference),
    lockfile_changed: job.lockfile_changed,
    stale_cell_count: job.stale_cell_count,
    stale_cell_ids: job.stale_cell_ids,
    ...(isNew ? fresh : {}),
  };
}
