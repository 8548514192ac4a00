// Computing over tables and artifacts: `POST /v1/materialize`, its streams and its builds.
import { z } from 'zod';

export const materializeRequest = z.object({
  inputs: z.array(z.string()),
  transform: z.object({ executor: z.string(), params: z.record(z.string(), z.unknown()).default({}) }),
  name: z.string().nullable().default(null),
  /** `stream` streams, anything else builds. */
  mode: z.string().default('stream'),
  refresh: z.boolean().default(false),
});

export const materializeBody = z.object({
  hit: z.boolean(),
  artifact_uri: z.string().nullable(),
  state: z.enum(['ready', 'building', 'pending']),
  build_spec: z.looseObject({}).nullable(),
  build_id: z.string().nullable(),
  stream_id: z.string().nullable(),
  stream_url: z.string().nullable(),
});

export type MaterializeBody = z.infer<typeof materializeBody>;

export const scanRefusedBody = z.object({
  error: z.enum(['per_client_limit', 'too_many_requests']),
  tier: z.enum(['interactive', 'bulk']),
});

export const scanFailedBody = z.object({ error: z.literal('scan_build_failed'), detail: z.string() });

export const buildBody = z.object({
  build_id: z.string(),
  artifact_id: z.string(),
  version: z.int(),
  state: z.enum(['pending', 'building', 'ready', 'failed']),
  artifact_uri: z.string(),
  executor_ref: z.string(),
  progress: z.number().nullable(),
  created_at: z.number(),
  started_at: z.number().nullable(),
  completed_at: z.number().nullable(),
  error_message: z.string().nullable(),
  error_code: z.string().nullable(),
});

export const cancelledBuildBody = z.object({ build_id: z.string(), cancelled: z.boolean() });

const signedUrl = z.object({ url: z.string(), expires_at: z.number() });

export const buildManifestBody = z.object({
  build_id: z.string(),
  metadata: z.object({
    build_id: z.string(),
    artifact_id: z.string(),
    version: z.int(),
    executor_ref: z.string(),
    params: z.record(z.string(), z.unknown()),
    /** Of whoever asked, where requests are traced. */
    traceparent: z.string().optional(),
    tracestate: z.string().optional(),
  }),
  inputs: z.array(signedUrl.extend({ artifact_id: z.string(), version: z.int() })),
  output: signedUrl.extend({
    max_bytes: z.int(),
    method: z.enum(['POST', 'PUT']),
    fields: z.record(z.string(), z.string()).optional(),
    headers: z.record(z.string(), z.string()).optional(),
  }),
  finalize_url: z.string(),
  log_url: z.string(),
  output_file_url: z.string(),
  manifest_url: z.string().optional().meta({ description: 'Of a cell: gives the next manifest while it runs' }),
  issued_at: z
    .number()
    .optional()
    .meta({ description: 'Of a cell: now, by the clock that `expires_at` is meant by; the reader’s may be another' }),
});

export type BuildManifestBody = z.infer<typeof buildManifestBody>;

/** No place came free for a build, or the tenant's bytes of the day are written. */
export const buildRefusedBody = z.looseObject({
  error: z.enum(['tenant_at_capacity', 'too_many_requests', 'quota_exceeded']),
  message: z.string(),
  retry_after_seconds: z.int(),
});

export const exportRequest = z.object({ table: z.string(), alias: z.string().min(1).nullable().default(null) });

export const exportedBody = z.object({
  table: z.string(),
  snapshot_id: z.unknown().meta({ description: 'A 64-bit integer; null when nothing was written' }),
  created: z.boolean(),
  artifact_uri: z.string(),
});
