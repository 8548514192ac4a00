// What Slurm says of jobs, as the dispatcher understands it.
import type { ClusterNode, JobLoss, JobReport } from './engine.ts';

/** Array task, comment, state, reason, node, time limit: as `squeue` is asked for them. */
export const jobFormat = '%K|%k|%T|%r|%N|%l|%i';

export interface SlurmJob {
  /** As `scancel` takes it. */
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly reason: string;
  readonly node: string;
  readonly timeLimit: string;
}

export function jobsIn(listed: string): SlurmJob[] {
  return listed.split('\n').flatMap((line) => {
    const [task = '', comment = '', state = '', reason = '', node = '', timeLimit = '', id = ''] = line.split('|');
    return id === '' ? [] : [{ id, name: `${comment}-${task}`, state, reason, node, timeLimit }];
  });
}

const goingOn = new Set(['RUNNING', 'STAGE_OUT', 'SIGNALING', 'SUSPENDED', 'STOPPED']);
const waiting = new Set([
  'PENDING',
  'CONFIGURING',
  'REQUEUED',
  'REQUEUE_HOLD',
  'REQUEUE_FED',
  'RESIZING',
  'RESV_DEL_HOLD',
  'SPECIAL_EXIT',
]);

/** `printed`: the end of what the job wrote, for what only stands there. */
export function reportOf(job: SlurmJob, position: number | null, printed: string): JobReport {
  const { state, reason, node, timeLimit } = job;
  if (state === 'COMPLETING') return { state: 'running', node: node || null, isEnding: true };
  if (goingOn.has(state)) return { state: 'running', node: node || null };
  if (waiting.has(state))
    return { state: 'waiting', position, reason: reason === 'None' || reason === '' ? null : reason };
  const where = node === '' ? '' : ` on ${node}`;
  const isOutOfMemory = /exceeded (job )?memory limit|oom[-_ ]?kill|out of memory/i.test(printed);
  if (state === 'OUT_OF_MEMORY' || isOutOfMemory)
    return ended(
      `The cluster ended its worker${where} because it used more memory than it was given. Give it more with # @resources memory=….`,
      'memory',
    );
  switch (state) {
    case 'TIMEOUT':
    case 'DEADLINE':
      return ended(
        `The cluster ended its worker${where} at its time limit of ${timeLimit}. Give it more with # @resources time=….`,
        'time',
      );
    case 'NODE_FAIL':
    case 'BOOT_FAIL':
      return ended(`The node${where === '' ? '' : ` ${node}`} of its worker was lost.`, 'taken');
    case 'PREEMPTED':
      return ended(`The cluster gave the place of its worker${where} to another job.`, 'taken');
    case 'CANCELLED':
    case 'REVOKED':
      return ended(`Somebody cancelled the job of its worker${where} in the cluster.`, 'taken');
    default:
      return ended(`The job of its worker${where} ended: ${state.toLowerCase()} (${reason}).`, 'broken');
  }
}

const ended = (reason: string, kind: JobLoss['kind']): JobReport => ({ state: 'ended', reason, kind });

/** Node, state, CPUs, memory in MB, generic resources: as `sinfo` is asked for them. */
export const nodeFormat = '%N|%T|%c|%m|%G';

export function nodesIn(listed: string): ClusterNode[] {
  const seen = new Set<string>();
  return listed.split('\n').flatMap((line) => {
    const [name = '', state = '', cpus = '', memory = '', generic = ''] = line.split('|');
    if (name === '' || seen.has(name) || /^(down|drain|fail|future|unknown|power)/i.test(state)) return [];
    seen.add(name);
    const [, gpuName, gpus = '0'] = /(?:^|,)gpu:(?:([^:,()]+):)?(\d+)/.exec(generic) ?? [];
    return [{ cpus: Number(cpus), memoryBytes: Number(memory) * 2 ** 20, gpus: Number(gpus), gpuName, custom: {} }];
  });
}
