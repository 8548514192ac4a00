// Environments of notebooks as they cross the wire.
import { z } from 'zod';
import { cellRecord } from './cells.ts';

export const environmentActions = ['add', 'remove', 'sync', 'import', 'change_python', 'r_init', 'r_add'] as const;

export const environmentJob = z.object({
  id: z.string(),
  action: z.enum(environmentActions),
  command: z.string(),
  status: z.enum(['running', 'completed', 'failed']),
  started_at: z.number(),
  package: z.string().nullable(),
  phase: z.string(),
  duration_ms: z.number().nullable(),
  stdout: z.string(),
  stderr: z.string(),
  stdout_truncated: z.boolean(),
  stderr_truncated: z.boolean(),
  finished_at: z.number().nullable(),
  lockfile_changed: z.boolean(),
  stale_cell_count: z.int(),
  stale_cell_ids: z.array(z.string()).readonly(),
  error: z.string().nullable(),
});

/** A change that waits for what runs. */
export const queuedJob = z.object({
  id: z.string(),
  action: z.enum(environmentActions),
  /** `add pandas`. */
  label: z.string(),
  /** Milliseconds since 1970. */
  asked_at: z.number(),
});
export type QueuedJob = z.infer<typeof queuedJob>;

export const environmentRecord = z.object({
  requested_python_version: z.string(),
  runtime_python_version: z.string(),
  python_version: z.string(),
  lockfile_hash: z.string(),
  package_count: z.int(),
  declared_package_count: z.int(),
  resolved_package_count: z.int(),
  sync_state: z.enum(['pending', 'ready', 'failed']),
  sync_error: z.string().nullable(),
  sync_notice: z.string().nullable(),
  last_synced_at: z.number().nullable(),
  last_sync_duration_ms: z.number().nullable(),
  has_lockfile: z.boolean(),
  venv_python: z.string().nullable(),
  interpreter_source: z.enum(['venv', 'unknown']),
});

export const dependency = z.object({
  name: z.string(),
  version: z.string().nullable(),
  specifier: z.string().nullable(),
  /** When it is wanted, as `python_version < "3.11"`; left out where that is always. */
  condition: z.string().exactOptional(),
});

export const rPackagesBody = z.object({
  packages: z.array(z.object({ name: z.string(), version: z.string() })).readonly(),
  packages_status: z.enum(['absent', 'ok', 'rscript_missing', 'renv_not_active', 'failed']),
  packages_error: z.string().nullable(),
});

export const rEnvironmentRecord = z.object({
  has_lockfile: z.boolean(),
  current_lock_hash: z.string(),
  lock_hash: z.string(),
  r_version: z.string(),
  system_r_version: z.string().nullable(),
  last_synced_at: z.number(),
  sync_state: z.enum(['absent', 'never', 'ok', 'outdated', 'failed']),
  sync_error: z.string().nullable(),
  ...rPackagesBody.shape,
});

const dependencies = z.array(dependency).readonly();

/** In every answer about an environment. */
export const environmentBody = z.object({
  environment: environmentRecord,
  environment_job: environmentJob.nullable(),
  environment_job_history: z.array(environmentJob).readonly(),
  dependencies,
  resolved_dependencies: dependencies,
  r_environment: rEnvironmentRecord,
});

export const environmentCellsBody = environmentBody.extend({
  environment_job_queue: z.array(queuedJob).readonly(),
  cells: z.array(cellRecord),
});

/** What a package index says of one package. */
export const indexedPackageBody = z.object({
  name: z.string(),
  /** The host that was asked. */
  index: z.string(),
  /** Newest first. */
  versions: z
    .array(
      z.object({
        version: z.string(),
        /** Of the file that would be downloaded; null where the index does not tell. */
        bytes: z.number().nullable(),
        requires_python: z.string().nullable(),
        uploaded_at: z.string().nullable(),
        is_yanked: z.boolean(),
      }),
    )
    .readonly(),
});
export type IndexedPackageBody = z.infer<typeof indexedPackageBody>;

export const acceptedJobBody = environmentCellsBody.extend({ accepted: z.literal(true) });

export const operationLog = z.object({
  command: z.string(),
  duration_ms: z.number(),
  stdout: z.string(),
  stderr: z.string(),
  stdout_truncated: z.boolean(),
  stderr_truncated: z.boolean(),
});

/** After a change that was waited for. */
export const environmentChangeBody = environmentCellsBody.extend({
  lockfile_changed: z.boolean(),
  stale_cell_count: z.int(),
  stale_cell_ids: z.array(z.string()).readonly(),
  warm_pool_reset: z.boolean(),
  operation_log: operationLog,
});

export const dependencyChangeBody = environmentChangeBody.extend({ success: z.literal(true), package: z.string() });

export const importBody = environmentChangeBody.extend({
  success: z.literal(true),
  imported_count: z.int(),
  warnings: z.array(z.string()).readonly(),
});

export const previewBody = environmentBody.extend({
  preview_dependencies: dependencies,
  normalized_requirements: z.array(z.string()).readonly(),
  imported_count: z.int(),
  warnings: z.array(z.string()).readonly(),
  additions: dependencies,
  removals: dependencies,
  unchanged: dependencies,
});

export const unchangedPythonBody = environmentCellsBody.extend({
  accepted: z.literal(false),
  reason: z.literal('already_at_requested_version'),
});
