// What an environment job is doing, on one line of a terminal that is written over; elsewhere nothing is written.
import { z } from 'zod';
import { showLine } from '../progressLine.ts';

const jobShape = z.looseObject({
  environment_job: z.looseObject({
    command: z.string(),
    phase: z.string().nullable(),
    status: z.string(),
    stdout: z.string(),
    stderr: z.string(),
  }),
});

/** Takes every frame of a session; those of jobs are shown. */
export function showProgress(type: string, payload: object): void {
  if (process.stderr.isTTY !== true || !type.startsWith('environment_job_')) return;
  const job = jobShape.safeParse(payload).data?.environment_job;
  if (!job) return;
  const last = `${job.stdout}\n${job.stderr}`.trim().split('\n').at(-1) ?? '';
  const line = job.status === 'running' ? `${job.command}: ${last || (job.phase ?? '')}` : '';
  showLine(line);
}
