// Slurm by its commands. Every worker is a task of a job array: those that are started together are one array, whose comment
// names them, so that they are found again by whoever asks.
import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { type ClusterEngine, EngineFailure, type JobReport, type WorkerOrder } from './engine.ts';
import { jobFormat, jobsIn, nodeFormat, nodesIn, reportOf, type SlurmJob } from './slurmStates.ts';

export interface SlurmOptions {
  /** Names the jobs of this dispatcher among others. */
  readonly instance: string;
  /** Where workers write; on a file system that the nodes share. */
  readonly logs: string;
  readonly partition: string | null;
  /** More options of `sbatch`, as they are. */
  readonly submitOptions: readonly string[];
  /** As the shell of a node reads it. */
  readonly workerCommand: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const commandMilliseconds = 30_000;
/** Arrays of more tasks are refused by most sites. */
const mostTasks = 1000;

export function createSlurm(options: SlurmOptions): ClusterEngine {
  const { instance, logs, partition, submitOptions, workerCommand, env } = options;
  const jobName = `svc-${instance}`;
  const inPartition = partition === null ? [] : [`--partition=${partition}`];
  const logOf = (name: string): string => path.join(logs, `${name}.log`);

  const list = async (): Promise<SlurmJob[]> =>
    jobsIn(
      await run('squeue', ['--noheader', '--array', '--states=all', `--name=${jobName}`, `--format=${jobFormat}`], env),
    );

  /** Places of waiting jobs in the whole line, where anybody waits. */
  async function places(jobs: readonly SlurmJob[]): Promise<ReadonlyMap<string, number>> {
    if (!jobs.some(({ state }) => state === 'PENDING')) return new Map();
    const args = ['--noheader', '--array', '--states=PENDING', '--sort=-p,i', '--format=%i', ...inPartition];
    const ids = (await run('squeue', args, env)).split('\n');
    return new Map(ids.map((id, index) => [id, index + 1]));
  }

  async function lastWords(name: string): Promise<string> {
    const text = await fs.readFile(logOf(name), 'utf8').catch(() => '');
    return text.slice(-2000);
  }

  return {
    name: 'slurm',
    lastWords,
    nodes: async () =>
      nodesIn(await run('sinfo', ['--noheader', '--Node', `--format=${nodeFormat}`, ...inPartition], env)),
    async submit(order) {
      const { count, resources } = order;
      const unknown = Object.keys(resources.custom);
      if (unknown.length > 0)
        throw new EngineFailure(
          `Slurm knows no ${unknown.join(', ')} in # @resources; it takes cpus, memory, gpus and time.`,
        );
      if (count > mostTasks) throw new EngineFailure(`At most ${mostTasks} workers are started at once.`);
      await run('sbatch', [...submission(order), ...submitOptions], { ...env, ...order.env }, scriptOf(order));
    },
    async reports() {
      const jobs = await list();
      const inLine = await places(jobs);
      const told = jobs.map(async (job): Promise<[string, JobReport]> => {
        const report = reportOf(job, inLine.get(job.id) ?? null, '');
        // What ended a job may stand only in what it wrote.
        const isOver = report.state === 'ended';
        return [job.name, isOver ? reportOf(job, null, await lastWords(job.name)) : report];
      });
      return new Map(await Promise.all(told));
    },
    async stop(names) {
      const wanted = new Set(names);
      const ids = (await list()).filter(({ name }) => wanted.has(name)).map(({ id }) => id);
      if (ids.length > 0) await run('scancel', ids, env);
    },
    forget: (name) => fs.rm(logOf(name), { force: true }),
  };

  function submission({ batch, count, resources: { cpus, memoryBytes, gpus, seconds } }: WorkerOrder): string[] {
    return [
      '--parsable',
      `--job-name=${jobName}`,
      `--comment=${batch}`,
      `--array=0-${count - 1}`,
      '--nodes=1',
      '--ntasks=1',
      `--cpus-per-task=${cpus}`,
      ...(memoryBytes === null ? [] : [`--mem=${Math.ceil(memoryBytes / 2 ** 20)}M`]),
      ...(gpus === 0 ? [] : [`--gres=gpu:${gpus}`]),
      ...(seconds === null ? [] : [`--time=${Math.ceil(seconds / 60)}`]),
      ...inPartition,
      // A worker that comes back would know nothing of its cells.
      '--no-requeue',
      '--export=ALL',
      `--chdir=${logs}`,
      `--output=${path.join(logs, `${batch}-%a.log`)}`,
    ];
  }

  function scriptOf({ batch, dial }: WorkerOrder): string {
    return `#!/bin/sh\nexec ${workerCommand} --connect ${quoted(`${dial}/w/${batch}-`)}"$SLURM_ARRAY_TASK_ID"\n`;
  }
}

export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  input?: string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      command,
      [...args],
      { env, timeout: commandMilliseconds, maxBuffer: 64 * 2 ** 20 },
      (error, stdout, stderr) => {
        if (!error) resolve(stdout);
        else reject(new EngineFailure(failureOf(command, error, stderr)));
      },
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(input ?? '');
  });
}

function failureOf(command: string, error: Error & { code?: unknown; killed?: boolean }, stderr: string): string {
  if (error.code === 'ENOENT')
    return `Slurm is not installed here: there is no ${command} on the path of svc dispatch.`;
  if (error.killed) return `Slurm did not answer ${command} within ${commandMilliseconds / 1000} s.`;
  const said = stderr.replaceAll(new RegExp(`^${command}: (error: )?`, 'gm'), '').trim();
  return `Slurm refused (${command}): ${said.split('\n').join('; ') || error.message}`;
}
