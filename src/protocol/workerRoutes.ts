// Lists of workers, as the notebook and the admin routes answer them.
import { z } from 'zod';

const config = z.record(z.string(), z.unknown());
const moment = z.number().nullable();

export const workerLoad = z.object({
  running: z.int(),
  /** Cells at a time; null: without limit, or not known yet. */
  capacity: z.int().nullable(),
  waiting: z.int(),
  is_cluster: z.boolean(),
  nodes: z.int().nullable(),
  cpus: z.int().nullable(),
  memory_mb: z.int().nullable(),
  gpus: z.int(),
});
export type WorkerLoad = z.infer<typeof workerLoad>;

export const workerEntry = z.object({
  name: z.string(),
  backend: z.enum(['local', 'executor']),
  runtime_id: z.string().nullable(),
  config,
  source: z.enum(['builtin', 'notebook', 'server', 'referenced']),
  health: z.enum(['healthy', 'unknown', 'unavailable', 'warming']),
  allowed: z.boolean(),
  enabled: z.boolean(),
  transport: z.string(),
  health_url: z.string().nullable(),
  health_checked_at: moment,
  last_error: z.string().nullable(),
  health_history: z
    .array(
      z.object({ checked_at: z.number(), health: z.string(), error: z.string().nullable(), duration_ms: z.number() }),
    )
    .readonly(),
  probe_count: z.int(),
  healthy_probe_count: z.int(),
  unavailable_probe_count: z.int(),
  unknown_probe_count: z.int(),
  consecutive_failures: z.int(),
  last_healthy_at: moment,
  last_unavailable_at: moment,
  last_unknown_at: moment,
  last_status_change_at: moment,
  last_probe_duration_ms: moment,
  /** What it has to do and what it has for that, as it said last; null where it does not say. */
  load: workerLoad.nullable(),
});

export const workerSpec = z.object({
  name: z
    .string()
    .max(64)
    .regex(/^[a-zA-Z0-9][a-zA-Z0-9._-]*$/),
  backend: z.enum(['local', 'executor']).default('executor'),
  runtime_id: z.string().nullable().default(null),
  config: config.default({}),
});

export const serverWorkerSpec = workerSpec.extend({ enabled: z.boolean().default(true) });

export const workersBody = z.object({
  workers: z.array(workerEntry),
  definitions_editable: z.boolean(),
  health_checked_at: z.number(),
});

export const configuredWorkersBody = workersBody.extend({
  configured_workers: z.array(z.looseObject({ name: z.string() })),
});

export const sshWorker = z.object({
  name: z.string(),
  ssh_target: z.string(),
  local_port: z.int(),
  remote_port: z.int(),
  remote_pid: z.int(),
  healthy: z.boolean(),
  executor_url: z.string(),
});
