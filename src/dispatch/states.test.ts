import assert from 'node:assert/strict';
import { it } from 'node:test';
import { rayReport } from './rayStates.ts';
import { jobsIn, nodesIn, reportOf } from './slurmStates.ts';

it('what Slurm says of jobs is told in words', () => {
  const listed = `0|b1|RUNNING|None|n1|1:00:00|7_0
1|b1|PENDING|Resources||1:00:00|7_1
2|b1|TIMEOUT|TimeLimit|n1|1:00:00|7_2
3|b1|PREEMPTED|None|n2|1:00:00|7_3
4|b1|OUT_OF_MEMORY|OutOfMemory|n2|1:00:00|7_4
5|b1|NODE_FAIL|NodeDown|n3|1:00:00|7_5
6|b1|CANCELLED|None||1:00:00|7_6
7|b1|FAILED|NonZeroExitCode|n1|1:00:00|7_7
8|b1|COMPLETING|None|n1|1:00:00|7_8
`;
  const reports = jobsIn(listed).map((job): [string, object] => [job.name, reportOf(job, 4, '')]);
  const ended = (kind: string, reason: string) => ({ state: 'ended', reason, kind });
  assert.deepEqual(Object.fromEntries(reports), {
    'b1-0': { state: 'running', node: 'n1' },
    'b1-1': { state: 'waiting', position: 4, reason: 'Resources' },
    'b1-2': ended(
      'time',
      'The cluster ended its worker on n1 at its time limit of 1:00:00. Give it more with # @resources time=….',
    ),
    'b1-3': ended('taken', 'The cluster gave the place of its worker on n2 to another job.'),
    'b1-4': ended(
      'memory',
      'The cluster ended its worker on n2 because it used more memory than it was given. Give it more with # @resources memory=….',
    ),
    'b1-5': ended('taken', 'The node n3 of its worker was lost.'),
    'b1-6': ended('taken', 'Somebody cancelled the job of its worker in the cluster.'),
    'b1-7': ended('broken', 'The job of its worker on n1 ended: failed (NonZeroExitCode).'),
    'b1-8': { state: 'running', node: 'n1', isEnding: true },
  });
});

it('what Slurm says of nodes counts each once, and only those that are up', () => {
  const listed =
    'n1|idle|32|128000|gpu:a100:4(S:0-1)\nn1|idle|32|128000|gpu:a100:4(S:0-1)\nn2|down*|8|1|(null)\nn3|mixed|8|16000|(null)\n';
  assert.deepEqual(nodesIn(listed), [
    { cpus: 32, memoryBytes: 128_000 * 2 ** 20, gpus: 4, gpuName: 'a100', custom: {} },
    { cpus: 8, memoryBytes: 16_000 * 2 ** 20, gpus: 0, gpuName: undefined, custom: {} },
  ]);
});

it('what Ray says of jobs is told in words', () => {
  const nodes = [{ node_id: 'id', node_ip: '10.0.0.7', state: 'ALIVE', resources_total: {} }];
  const report = (status: string, more: object = {}) =>
    rayReport({ status, driver_node_id: 'id', message: null, driver_exit_code: null, ...more }, nodes, true);
  const ended = (kind: string, reason: string) => ({ state: 'ended', reason, kind });
  assert.deepEqual(
    [
      report('PENDING'),
      report('RUNNING'),
      report('STOPPED'),
      report('FAILED', { driver_exit_code: 124 }),
      report('FAILED', { message: 'Unexpected error: the actor died because its node has died.' }),
      report('FAILED', { message: 'Job entrypoint command failed with exit code 1\nlogs', driver_exit_code: 1 }),
    ],
    [
      { state: 'waiting', position: null, reason: 'no free resources' },
      { state: 'running', node: '10.0.0.7' },
      ended('taken', 'Somebody stopped the job of its worker on 10.0.0.7 in the cluster.'),
      ended('time', 'Its worker on 10.0.0.7 was ended at its time limit. Give it more with # @resources time=….'),
      ended(
        'taken',
        'The node of its worker on 10.0.0.7 was lost: Unexpected error: the actor died because its node has died.',
      ),
      ended('broken', 'The job of its worker on 10.0.0.7 ended: Job entrypoint command failed with exit code 1.'),
    ],
  );
});
