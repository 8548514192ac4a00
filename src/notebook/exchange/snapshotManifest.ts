// What a snapshot says of itself. It came from somebody else: whatever of it is read later is checked here first.
import { z } from 'zod';
import type { KeptResult } from '../run/index.ts';
import type { StoredValue } from '../state/index.ts';

const storedValue: z.ZodType<StoredValue> = z.looseObject({
  uri: z.string(),
  contentType: z.string(),
  sha256: z.string(),
  get lent() {
    return z.record(z.string(), storedValue).exactOptional();
  },
  get sweep() {
    return z.looseObject({ group: z.string(), variants: z.record(z.string(), storedValue) }).exactOptional();
  },
});

const resultSchema: z.ZodType<KeptResult> = z.looseObject({
  key: z.string(),
  sourceDigest: z.string(),
  environmentHash: z.string(),
  variables: z.record(z.string(), storedValue),
  iterations: z.array(storedValue).exactOptional(),
  displays: z.array(
    z.looseObject({
      content_type: z.string(),
      artifact_uri: z.string(),
      variant: z.string().exactOptional(),
      markdown_text: z.string().nullable().exactOptional(),
    }),
  ),
  stdout: z.string(),
  stderr: z.string(),
  durationMs: z.number(),
  createdAt: z.number(),
  source: z.string().exactOptional(),
  untilReached: z.boolean().exactOptional(),
  baseKey: z.string().exactOptional(),
});

const recordSchema = z.object({
  id: z.string().min(1),
  version: z.int().min(1),
  provenance_hash: z.string(),
  row_count: z.int().min(0).nullable(),
  byte_size: z.int().min(0).nullable(),
  transform_spec: z.string().refine(isJson).nullable(),
  input_versions: z.string().refine(isJson).nullable(),
  content_sha256: z.string().nullable(),
});

export const manifestSchema = z.object({
  format_version: z.int(),
  notebook_id: z.string(),
  cells: z.record(
    z.string(),
    z.object({
      status: z.string().default('idle'),
      provenance_hash: z.string().nullable().default(null),
      error: z.string().nullable().default(null),
      error_source_hash: z.string().nullable().default(null),
      widget_values: z.record(z.string(), z.unknown()).default({}),
    }),
  ),
  /** Everything that the cells have stored, carried or not. */
  artifacts: z.record(z.string(), z.array(z.object({ artifact_id: z.string(), version: z.int() }))).default({}),
  carried: z.array(z.string()).default([]),
  records: z.record(z.string(), recordSchema).default({}),
  results: z.record(z.string(), z.array(resultSchema)).default({}),
});

export type Manifest = z.infer<typeof manifestSchema>;
export type ArtifactRecord = z.infer<typeof recordSchema>;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
