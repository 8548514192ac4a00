// Jobs as others see them: one record that grows while the job runs, and the last ones that ended, kept with the notebook.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { z } from 'zod';
import { readOwnJson } from '../files/index.ts';
import { environmentJob } from '../protocol/index.ts';
import { makeOwnFolder, replaceFile } from './files.ts';

export type EnvironmentJob = Readonly<z.infer<typeof environmentJob>>;
export type EnvironmentAction = EnvironmentJob['action'];

/** What is kept of each stream; the beginning, where a resolver says what is wrong. */
const keptCharacters = 12_000;
const keptJobs = 8;

export function newJob(
  action: EnvironmentAction,
  command: string,
  package_: string | null,
  phase: string,
): EnvironmentJob {
  return {
    id: randomUUID(),
    action,
    command,
    status: 'running',
    started_at: Date.now(),
    package: package_,
    phase,
    duration_ms: null,
    stdout: '',
    stderr: '',
    stdout_truncated: false,
    stderr_truncated: false,
    finished_at: null,
    lockfile_changed: false,
    stale_cell_count: 0,
    stale_cell_ids: [],
    error: null,
  };
}

/** The same job when nothing more of that stream is kept. */
export function withOutput(job: EnvironmentJob, stream: 'stdout' | 'stderr', line: string): EnvironmentJob {
  const isFull = stream === 'stdout' ? job.stdout_truncated : job.stderr_truncated;
  if (isFull) return job;
  const text = `${job[stream]}${line}\n`;
  const kept = text.slice(0, keptCharacters);
  const isCut = kept.length < text.length;
  return stream === 'stdout'
    ? { ...job, stdout: kept, stdout_truncated: isCut }
    : { ...job, stderr: kept, stderr_truncated: isCut };
}

export interface JobHistory {
  /** Newest first. */
  list(): readonly EnvironmentJob[];
  add(job: EnvironmentJob): void;
  save(): Promise<void>;
}

/** A history that cannot be read is an empty one: it never keeps a notebook from being opened. */
export async function openHistory(directory: string): Promise<JobHistory> {
  const file = path.join(directory, '.svc/environment_jobs.json');
  let jobs = await read(file);
  return {
    list: () => jobs,
    add(job) {
      jobs = [job, ...jobs].slice(0, keptJobs);
    },
    async save() {
      await makeOwnFolder(directory);
      await replaceFile(file, `${JSON.stringify(jobs, null, 2)}\n`);
    },
  };
}

async function read(file: string): Promise<readonly EnvironmentJob[]> {
  try {
    return z.array(environmentJob).parse(await readOwnJson(file));
  } catch {
    return [];
  }
}
