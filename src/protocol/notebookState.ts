// A whole open notebook as it crosses the wire, over REST and in frames alike.
import { z } from 'zod';
import { cellRecord, dagRecord, variantGroupRecord } from './cells.ts';
import { aiRecord, connectionRecord, malformedConnection, mountRecord } from './dataSources.ts';

export const notebookState = z.looseObject({
  id: z.string(),
  name: z.string(),
  session_id: z.string(),
  path: z.string(),
  cells: z.array(cellRecord),
  dag: dagRecord,
  variant_groups: z.array(variantGroupRecord),
  environment: z.looseObject({ sync_state: z.string() }),
  environment_job: z.looseObject({ status: z.string() }).nullable(),
  environment_job_history: z.array(z.looseObject({ status: z.string() })),
  /** Changes of the environment that wait. */
  environment_job_queue: z
    .array(z.looseObject({ id: z.string(), label: z.string() }))
    .readonly()
    .optional(),
  /** Cells follow by themselves when something above them changes, as far as that is cheap. */
  reactive: z.boolean().optional(),
  /** Whether cells are kept for their widgets as soon as somebody uses one. */
  keep_widgets: z.boolean().optional(),
  strict_packages: z.boolean().optional(),
  ai: aiRecord.nullable().optional(),
  mounts: z.array(mountRecord).optional(),
  connections: z.array(connectionRecord).optional(),
  malformed_connections: z.array(malformedConnection).optional(),
  /** Where the variables come from: `manual`, or the secret manager. */
  env_sources: z.record(z.string(), z.string()).optional(),
  /** Why the secret manager gave nothing. */
  env_fetch_error: z.string().nullable().optional(),
  secret_manager_config: z.record(z.string(), z.string()).optional(),
});

export type NotebookState = z.infer<typeof notebookState>;
