// What a worker says of itself, as servers read it: everything but the status may be missing or of another program.
import { z } from 'zod';

export const workerHealthSchema = z.looseObject({
  status: z.string(),
  capabilities: z
    .looseObject({
      protocol_versions: z.array(z.string()).catch([]),
      transform_refs: z.array(z.string()).catch([]),
      features: z.record(z.string(), z.unknown()).catch({}),
    })
    .catch({ protocol_versions: [], transform_refs: [], features: {} }),
  version: z.string().optional(),
  /** Why it is not healthy, in words. */
  detail: z.string().optional().catch(undefined),
  launch_id: z.string().nullish(),
  active_executions: z.int().optional(),
  max_concurrent: z.int().nullish(),
  /** Of a cluster: cells in line, and workers that it has. */
  queued_executions: z.int().optional(),
  warm_workers: z.int().optional(),
  gpu_slots: z.int().nullish(),
  free_gpu_slots: z.int().nullish(),
  /** The interpreter of cells that bring no lock, and what is installed for it; null while it is not known. */
  own_environment: z.looseObject({ python: z.string(), digest: z.string() }).nullish().catch(undefined),
  hardware: z
    .looseObject({
      cpus: z.int().optional(),
      memory_mb: z.int().optional(),
      nodes: z.int().optional(),
      accelerators: z.array(z.unknown()).optional(),
    })
    .optional(),
});

export type WorkerHealth = z.infer<typeof workerHealthSchema>;
