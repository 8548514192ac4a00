// What Ray says of nodes and jobs, as the dispatcher understands it.
import { z } from 'zod';
import type { ClusterNode, JobLoss, JobReport } from './engine.ts';

export const nodesSchema = z.looseObject({
  data: z.looseObject({
    result: z.looseObject({
      result: z.array(
        z.looseObject({
          node_id: z.string(),
          node_ip: z.string(),
          state: z.string(),
          resources_total: z.record(z.string(), z.number()).catch({}),
        }),
      ),
    }),
  }),
});
export type RayNode = z.infer<typeof nodesSchema>['data']['result']['result'][number];

export const jobsSchema = z.array(
  z.looseObject({
    submission_id: z.string().nullish(),
    status: z.string(),
    message: z.string().nullish(),
    driver_node_id: z.string().nullish(),
    driver_exit_code: z.int().nullish(),
  }),
);
export type RayJob = z.infer<typeof jobsSchema>[number];

const demandSchema = z.looseObject({
  data: z.looseObject({
    clusterStatus: z.looseObject({
      loadMetricsReport: z.looseObject({ resourceDemand: z.array(z.unknown()).catch([]) }),
    }),
  }),
});

/** Whether somebody waits for what the cluster has not free. */
export const isFull = (status: unknown): boolean =>
  (demandSchema.safeParse(status).data?.data.clusterStatus.loadMetricsReport.resourceDemand.length ?? 0) > 0;

export const rayNodes = (nodes: readonly RayNode[]): ClusterNode[] =>
  nodes.map(({ resources_total: { CPU = 0, GPU = 0, memory = 0, ...rest } }) => ({
    cpus: CPU,
    gpus: GPU,
    gpuName: Object.keys(rest)
      .find((name) => name.startsWith('accelerator_type:'))
      ?.slice('accelerator_type:'.length),
    memoryBytes: memory,
    custom: rest,
  }));

/** Of `timeout`, which ends workers that have lived for as long as they may. */
const timeLimitCode = 124;

export function rayReport(job: RayJob, nodes: readonly RayNode[], isFull: boolean): JobReport {
  const { status, driver_node_id, driver_exit_code } = job;
  const node = nodes.find(({ node_id }) => node_id === driver_node_id)?.node_ip ?? null;
  const where = node === null ? '' : ` on ${node}`;
  const message = (job.message ?? '').split('\n')[0]?.slice(0, 300) ?? '';
  switch (status) {
    case 'PENDING':
      return { state: 'waiting', position: null, reason: isFull ? 'no free resources' : null };
    case 'RUNNING':
      return { state: 'running', node };
    case 'STOPPED':
      return ended(`Somebody stopped the job of its worker${where} in the cluster.`, 'taken');
  }
  if (driver_exit_code === timeLimitCode)
    return ended(`Its worker${where} was ended at its time limit. Give it more with # @resources time=….`, 'time');
  if (/memory pressure|OOM|out of memory/i.test(message))
    return ended(
      `The cluster ended its worker${where} because its node ran out of memory. Ask for more with # @resources memory=….`,
      'memory',
    );
  if (/node (has )?died|actor (has )?died|supervisor|ACTOR_DIED/i.test(message))
    return ended(`The node of its worker${where} was lost: ${message}`, 'taken');
  return ended(`The job of its worker${where} ended: ${message || status.toLowerCase()}.`, 'broken');
}

const ended = (reason: string, kind: JobLoss['kind']): JobReport => ({ state: 'ended', reason, kind });
