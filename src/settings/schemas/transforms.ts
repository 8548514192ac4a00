// The transforms block (`SVC_TRANSFORMS_CONFIG`, `[tool.svc.transforms]`): which transforms this server offers and the
// workers that seed its registry. Keys keep the spelling they have in the file.

import { z } from 'zod';

const seconds = z.number().min(0);
const bytes = z.int().min(0);

export const transformEntrySchema = z.strictObject({
  /** Glob over the transform ref; the first match wins. */
  ref: z.string().min(1),
  /** Empty or `embedded://local` runs the built-in in this process. */
  executor_url: z
    .string()
    .default('')
    .refine(isExecutorUrl, { error: "must be empty, 'embedded://local' or an http(s) URL" }),
  /** 0 uses SVC_BUILD_RUNNER_DEFAULT_TIMEOUT. */
  timeout_seconds: seconds.default(300),
  /** 0 uses SVC_BUILD_RUNNER_DEFAULT_MAX_OUTPUT. */
  max_output_bytes: bytes.default(0),
  /** 0 is no cap. */
  max_input_bytes: bytes.default(0),
  requires_scope: z.string().min(1).nullable().default(null),
});

export const seededWorkerSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[a-zA-Z0-9][a-zA-Z0-9._-]*$/, { error: 'must be letters, digits, dots, dashes and underscores' })
    .refine((name) => name !== 'local', { error: "'local' is reserved for this machine" }),
  backend: z.enum(['local', 'executor']).default('local'),
  runtime_id: z.string().nullable().default(null),
  config: z.record(z.string(), z.unknown()).default({}),
  enabled: z.boolean().default(true),
});

export const transformsConfigSchema = z.strictObject({
  enabled: z.boolean().default(false),
  notebook_workers: z.array(seededWorkerSchema).readonly().default([]),
  registry: z.array(transformEntrySchema).readonly().default([]),
});

export type TransformEntry = Readonly<z.infer<typeof transformEntrySchema>>;
export type SeededWorker = Readonly<z.infer<typeof seededWorkerSchema>>;
export type TransformsConfig = Readonly<z.infer<typeof transformsConfigSchema>>;

export const TRANSFORMS_KEYS = [
  ...Object.keys(transformsConfigSchema.shape),
  ...Object.keys(transformEntrySchema.shape),
  ...Object.keys(seededWorkerSchema.shape),
];

function isExecutorUrl(value: string): boolean {
  return value === '' || value === 'embedded://local' || /^https?:\/\/[^/]/.test(value);
}
