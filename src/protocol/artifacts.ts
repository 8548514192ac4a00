// Artifacts, names, aliases, tags, publications: bodies of their routes.
import { z } from 'zod';

const seconds = z.number().meta({ description: 'Seconds since 1970' });

export const artifactRecord = z.object({
  artifact_id: z.string(),
  version: z.int(),
  state: z.enum(['building', 'ready', 'superseded', 'failed']),
  arrow_schema: z.string().nullable(),
  row_count: z.int().nullable(),
  byte_size: z.int().nullable(),
  created_at: seconds,
  content_sha256: z.string().nullable(),
  provenance_hash: z.string(),
  transform_spec: z.string().nullable(),
  input_versions: z.string().nullable(),
});

export const artifactList = z.object({
  artifacts: z.array(
    z.object({
      artifact_uri: z.string(),
      artifact_id: z.string(),
      version: z.int(),
      state: z.string(),
      row_count: z.int().nullable(),
      byte_size: z.int().nullable(),
      created_at: seconds,
    }),
  ),
  limit: z.int(),
  offset: z.int(),
});

export const artifactStats = z.object({
  total_versions: z.int(),
  ready_versions: z.int(),
  building_versions: z.int(),
  superseded_versions: z.int(),
  failed_versions: z.int(),
  total_bytes: z.int(),
  total_rows: z.int(),
  name_count: z.int(),
});

export const artifactUsage = artifactStats.extend({
  unique_artifacts: z.int(),
  unreferenced_count: z.int(),
  oldest_artifact: seconds.nullable(),
  newest_artifact: seconds.nullable(),
});

export const lineageBody = z.object({
  artifact_uri: z.string(),
  artifact_id: z.string(),
  version: z.int(),
  nodes: z.array(
    z.object({
      uri: z.string(),
      artifact_id: z.string().nullable(),
      version: z.int().nullable(),
      type: z.enum(['artifact', 'table', 'fetch']),
      transform_ref: z.string().nullable(),
      created_at: seconds.nullable(),
      principal: z.string().nullable(),
      build_env: z.string(),
      build_duration_ms: z.number(),
      env_hash: z.string(),
      source: z.string(),
      content_sha256: z.string().nullable(),
      snapshot_at: seconds.nullable(),
      snapshot_valid_until: seconds.nullable(),
    }),
  ),
  edges: z.array(z.object({ from_uri: z.string(), to_uri: z.string(), input_version: z.string() })),
  depth: z.int(),
  direct_inputs: z.array(z.string()),
});

export const dependentsBody = z.object({
  artifact_uri: z.string(),
  artifact_id: z.string(),
  version: z.int(),
  dependents: z.array(
    z.object({
      artifact_uri: z.string(),
      artifact_id: z.string(),
      version: z.int(),
      name: z.string().nullable(),
      transform_ref: z.string().nullable(),
      created_at: seconds,
      input_version: z.string(),
    }),
  ),
  total_count: z.int(),
});

export const storedBody = z.object({
  artifact_uri: z.string(),
  hit: z.boolean(),
  byte_size: z.int().nullable(),
  name_uri: z.string().nullable(),
});

export const provenanceBody = z.object({
  artifact_id: z.string(),
  version: z.int(),
  provenance_hash: z.string(),
  content_type: z.string(),
  state: z.string(),
  arrow_schema: z.string(),
  row_count: z.int().nullable(),
  byte_size: z.int().nullable(),
  created_at: seconds,
  principal: z.string().nullable(),
  build_env: z.string(),
  build_duration_ms: z.number(),
  env_hash: z.string(),
  promotion: z.string().nullable(),
  content_sha256: z.string().nullable(),
});

export const finalizeRequest = z.object({
  artifact_id: z.string(),
  version: z.int(),
  arrow_schema: z.string(),
  row_count: z.int().min(0),
  name: z.string().nullable().default(null),
});

export const changedInput = z.object({ input_uri: z.string(), old_version: z.string(), new_version: z.string() });

export const explainRequest = z.object({
  inputs: z.array(z.string()),
  transform: z.object({ executor: z.string(), params: z.record(z.string(), z.unknown()).default({}) }),
  name: z.string().nullable().default(null),
});

export const explainBody = z.object({
  would_hit: z.boolean(),
  artifact_uri: z.string().nullable(),
  would_build: z.boolean(),
  is_stale: z.boolean(),
  stale_reason: z.string().nullable(),
  changed_inputs: z.array(changedInput).nullable(),
  resolved_input_versions: z.record(z.string(), z.string()),
});

export const nameStatusBody = z.object({
  name: z.string(),
  artifact_uri: z.string(),
  artifact_id: z.string(),
  version: z.int(),
  state: z.string(),
  updated_at: seconds,
  input_versions: z.record(z.string(), z.string()),
  is_stale: z.boolean(),
  stale_reason: z.string().nullable(),
  changed_inputs: z.array(changedInput).nullable(),
});

export const addressRequest = z.object({ artifact_id: z.string(), version: z.int() });

export const auditBody = z.object({
  seq: z.int(),
  at: seconds,
  actor: z.string().nullable(),
  action: z.string(),
  name: z.string().nullable(),
  alias: z.string().nullable(),
  artifact_id: z.string().nullable(),
  from_artifact_id: z.string().nullable(),
  from_version: z.int().nullable(),
  to_version: z.int().nullable(),
  key: z.string().nullable(),
  value: z.string().nullable(),
  tenant: z.string(),
});

const trimmed = (min: number, max: number) => z.string().trim().min(min).max(max);

export const authorBody = z.object({
  name: trimmed(1, 256),
  orcid: trimmed(0, 64).optional(),
  affiliation: trimmed(0, 512).optional(),
});
export const externalIdBody = z.object({
  scheme: z.enum(['doi', 'zenodo', 'arxiv', 'url']),
  value: trimmed(1, 512),
});

export const publishRequest = z
  .object({
    title: z.string().trim().nullable().default(null),
    authors: z.array(authorBody).nullable().default(null),
    external_ids: z.array(externalIdBody).nullable().default(null),
  })
  .optional();

export const publicationEdit = z.looseObject({
  authors: z.array(authorBody).nullable().default(null),
  external_ids: z.array(externalIdBody).nullable().default(null),
});

export const publicationBody = z.object({
  id: z.string(),
  token: z.string().nullable(),
  url: z.string().nullable(),
  artifact_id: z.string(),
  version: z.int(),
  title: z.string().nullable(),
  published_at: seconds,
  published_by: z.string().nullable(),
  revoked_at: seconds.nullable(),
  authors: z.array(authorBody),
  external_ids: z.array(externalIdBody),
});

export const collectedBody = z.object({
  deleted_count: z.int(),
  deleted_bytes: z.int(),
  store_bytes: z.int(),
  dry_run: z.boolean(),
  collected: z
    .array(z.object({ artifact_id: z.string(), version: z.int(), byte_size: z.int(), last_used_at: seconds }))
    .optional(),
});
