// Publishing a result of a notebook: what everybody could read then, and the link.
import { z } from 'zod';

/** What a cell stored: the value of one of its variables, or `__display__<n>` for what it showed. */
const resultName = z.object({ cell_id: z.string().min(1).max(128), variable: z.string().min(1).max(512) });

export const preflightRequest = resultName;
export const publishResultRequest = resultName.extend({ title: z.string().max(500).nullable().default(null) });

const exposedStep = z.object({
  uri: z.string(),
  type: z.enum(['artifact', 'table', 'fetch']),
  artifact_id: z.string().nullable(),
  version: z.int().nullable(),
  transform: z.string().nullable(),
  source: z.string(),
  build_env: z.string(),
  principal: z.string().nullable(),
  content_sha256: z.string().nullable(),
});

export const preflightBody = z.object({
  artifact_id: z.string(),
  version: z.int(),
  /** The result itself and every step that it was made from. */
  exposes: z.array(exposedStep),
  step_count: z.int(),
  reads_source_of: z.array(z.string()),
  note: z.string(),
});

export const publishedResultBody = z.object({
  /** Given this once; empty where the result is published already. */
  token: z.string(),
  url: z.string().nullable(),
  id: z.string(),
  artifact_uri: z.string(),
  title: z.string().nullable(),
  content_sha256: z.string().nullable(),
  copied: z.int(),
});

export type ExposedStep = z.infer<typeof exposedStep>;
export type PreflightBody = z.infer<typeof preflightBody>;
export type PublishedResultBody = z.infer<typeof publishedResultBody>;
