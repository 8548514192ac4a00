// The schema of `notebook.toml`: what each key may hold and what it is when left out. Unknown keys are allowed everywhere
// and stay in the file; this describes only what the service reads.

import { z } from 'zod';
import { cellLanguages, usualLanguage } from '../../cellLanguages.ts';

const identifier = z
  .string()
  .regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/, 'must be letters, digits and _, not starting with a digit');
const anything = z.record(z.string(), z.unknown());
/** Values are strings; a bare number or boolean is taken for its text, as a shell would. */
const env = z.record(
  z.string(),
  z.union([z.string(), z.union([z.number(), z.bigint(), z.boolean()]).transform(String)]),
);
const seconds = z.number().positive();

export const mountSchema = z.object({
  name: identifier,
  uri: z.string(),
  mode: z.enum(['ro', 'rw']).default('ro'),
  pin: z.string().nullable().default(null),
  options: anything.default({}),
  credential: z.string().nullable().default(null),
});

export const workerSchema = z.object({
  name: z
    .string()
    .regex(/^[a-zA-Z0-9][a-zA-Z0-9._-]*$/, 'must be letters, digits, dot, _ and -, starting with a letter or digit')
    .refine((name) => name !== 'local', "'local' is reserved for the built-in worker"),
  backend: z.enum(['local', 'executor']).default('local'),
  runtime_id: z.string().nullable().default(null),
  config: anything.default({}),
});

/** Keys besides these are the driver's own and are kept. */
export const connectionSchema = z.looseObject({
  driver: z.string({ error: "connection is missing required 'driver' key" }).min(1, "'driver' must not be empty"),
  auth: z.record(z.string(), z.string()).default({}),
  options: anything.default({}),
  credential: z.string().nullable().default(null),
});

export const connectionName = identifier;

export const variantGroupSchema = z.object({
  group: z.string().min(1),
  active: z.string().default(''),
  /** Any word is read; what is neither switch nor sweep acts as switch and is flagged. */
  mode: z.string().default('switch'),
});

/** Files and members of exports are named after cells. */
const cellId = z
  .string()
  .min(1)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  .regex(/^(?!\.{1,2}$)[^/\\\u0000-\u001f]+$/, 'must be the name of a file: no slashes and no control characters');

export const cellSchema = z.object({
  id: cellId,
  file: z.string().min(1),
  language: z.enum(cellLanguages).default(usualLanguage),
  order: z.number().default(0),
  worker: z.string().nullable().default(null),
  timeout: seconds.nullable().default(null),
  env: env.default({}),
  mounts: z.array(mountSchema).default([]),
  created_by: z.string().nullable().default(null),
  updated_by: z.string().nullable().default(null),
});

export const aiSchema = z.object({
  model: z.string().nullable().default(null),
  base_url: z.string().nullable().default(null),
  api_key: z.string().nullable().default(null),
  max_output_tokens: z.int().positive().default(4096),
  timeout_seconds: seconds.default(60),
});

export const secretManagerKeys = ['provider', 'project_id', 'environment', 'path', 'base_url'] as const;
export const secretManagerSchema = z.partialRecord(z.enum(secretManagerKeys), z.string());

/** A time in UTC with microseconds; text passes as it is, because files written by hand often quote it. */
const time = z.union([
  z.instanceof(Temporal.ZonedDateTime).transform((zoned) => utc(zoned.toInstant())),
  z.instanceof(Temporal.PlainDateTime).transform((plain) => utc(plain.toZonedDateTime('UTC').toInstant())),
  z.string(),
]);

export function utc(instant: Temporal.Instant): string {
  return instant.toString({ fractionalSecondDigits: 6 }).replace('Z', '+00:00');
}

export const notebookFileSchema = z.object({
  notebook_id: z.string({ error: 'is required' }).min(1, 'is required'),
  name: z.string().default('Untitled Notebook'),
  created_at: time.nullable().default(null),
  updated_at: time.nullable().default(null),
  worker: z.string().nullable().default(null),
  timeout: seconds.nullable().default(null),
  reactive: z.boolean().default(false),
  keep_widgets: z.boolean().default(false),
  strict_packages: z.boolean().default(false),
  env: env.default({}),
  ai: aiSchema.nullable().default(null),
  secret_manager: z.record(z.string(), z.unknown()).default({}),
  mounts: z.array(mountSchema).default([]),
  workers: z.array(workerSchema).default([]),
  /** Checked one by one, so that a malformed one costs only itself. */
  connections: z.record(z.string(), z.unknown()).default({}),
  catalogs: z.record(z.string(), anything).default({}),
  r: anything.default({}),
  variant_group: z.array(variantGroupSchema).default([]),
  cells: z.array(cellSchema).default([]),
});

export type Mount = z.infer<typeof mountSchema>;
export type WorkerSpec = z.infer<typeof workerSchema>;
export type AiConfig = z.infer<typeof aiSchema>;
export type SecretManagerConfig = z.infer<typeof secretManagerSchema>;
export type VariantGroupEntry = z.infer<typeof variantGroupSchema>;
export type CellEntry = z.infer<typeof cellSchema>;
export type NotebookFile = z.infer<typeof notebookFileSchema>;
