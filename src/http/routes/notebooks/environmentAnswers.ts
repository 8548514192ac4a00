// What the environment routes answer: the environment as it stands, and after a change also what it did to the cells.
import type { EnvironmentJob, StartedJob } from '../../../environments/index.ts';
import { refusals } from '../../../errors/index.ts';
import type { OpenSession } from '../../../notebook/index.ts';

export const environmentAnswer = ({ environment, live, jobQueue }: OpenSession) => ({
  ...environment.payload(),
  environment_job_queue: jobQueue.list(),
  cells: live.cellRecords(),
});

export const logOf = (job: EnvironmentJob) => ({
  command: job.command,
  duration_ms: job.duration_ms ?? 0,
  stdout: job.stdout,
  stderr: job.stderr,
  stdout_truncated: job.stdout_truncated,
  stderr_truncated: job.stderr_truncated,
});

export const changeAnswer = (session: OpenSession, job: EnvironmentJob) => ({
  lockfile_changed: job.lockfile_changed,
  operation_log: logOf(job),
  ...environmentAnswer(session),
  stale_cell_count: job.stale_cell_count,
  stale_cell_ids: job.stale_cell_ids,
  warm_pool_reset: job.status === 'completed',
});

/** Waits for a job that must succeed; one that failed is told with what the resolver said. */
export async function succeeded({ ended }: StartedJob): Promise<EnvironmentJob> {
  const job = await ended;
  if (job.status === 'failed') throw refusals.environmentFailed(job.error ?? 'The job failed', logOf(job));
  return job;
}
