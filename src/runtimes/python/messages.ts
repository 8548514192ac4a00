// The JSON that a zygote and its cell processes send, checked once, here.

import { z } from 'zod';
import { debugFrame, traceFrame } from '../../protocol/index.ts';
import type { Effects, ReadFile } from '../effects.ts';

/** What was seen when a module was loaded ahead; the threads by their names. */
export const observedSchema = z.object({
  name: z.string(),
  seconds: z.number(),
  bytes: z.int(),
  modules: z.int(),
  threads: z.array(z.string()),
  fork_handlers: z.int(),
});
export type Observed = z.infer<typeof observedSchema>;

export const readySchema = z.object({
  protocol: z.literal(1),
  python: z.string(),
  fork: z.boolean(),
  pid: z.int(),
  loaded: z.array(observedSchema),
});

/** `name`: null before the first module. */
export const loadingSchema = z.object({ pid: z.int(), name: z.string().nullable() });

/** A module that must not be loaded before a fork; `spare`: nor in a process that was started afresh. */
export const unfitSchema = z.object({ name: z.string(), why: z.string(), spare: z.boolean() });
export type Unfit = z.infer<typeof unfitSchema>;

export const importingSchema = z.object({ name: z.string() });

export const begunSchema = z.object({ pid: z.int().positive() });

/** How a process ended. `lost`: it never was, or nobody knows any more; the reason stands in words. */
export const endingSchema = z.object({
  status: z.int().nullable(),
  signal: z.int().nullable(),
  lost: z.string().optional(),
});

/** A name in the run's own folder: never a way out of it. */
export const fileName = z.string().regex(/^(?!\.{1,2}$)[^/\0]+$/);

export const recordSchema = z.object({
  content_type: z.string(),
  file: fileName.optional(),
  bytes: z.int().optional(),
  sha256: z.string().optional(),
  rows: z.int().optional(),
  columns: z.array(z.string()).optional(),
  /** How many of the last columns are its index. */
  index_columns: z.int().nonnegative().optional(),
  codec: z.string().optional(),
  type: z.string().optional(),
  markdown_text: z.string().nullable().optional(),
  inline_data_url: z.string().nullable().optional(),
  inline_text: z.string().nullable().optional(),
  width: z.int().nullable().optional(),
  height: z.int().nullable().optional(),
  /** A figure in ink on white paper, which a dark page may show light on dark. */
  follows_theme: z.literal(true).optional(),
  text: z.string().optional(),
  error: z.string().optional(),
  unkept: z.string().optional(),
  preview_truncated: z.boolean().optional(),
  preview: z.unknown().optional(),
});

export const errorSchema = z.object({
  error_type: z.string(),
  message: z.string(),
  traceback: z.array(traceFrame),
  text: z.string(),
});

export const testsSchema = z
  .array(
    z.object({
      name: z.string(),
      nodeid: z.string(),
      outcome: z.enum(['passed', 'failed', 'error', 'skipped']),
      message: z.string(),
    }),
  )
  .nullable()
  .optional();

const names = z.array(z.string()).default([]);

const files = z
  .array(z.union([z.tuple([z.string()]), z.tuple([z.string(), z.int(), z.string(), z.string()])]))
  .default([]);

/** See `effects.py`; a file that was read has its size, time and number after its path, if they are known. */
const effectsSchema = z
  .object({
    read: files,
    unwatched: z.int().default(0),
    written: names,
    listed: files,
    hosts: names,
    programs: names,
    variables: names,
    clock: z.boolean().default(false),
    entropy: z.boolean().default(false),
    asked: z.boolean().default(false),
    remade: names,
  })
  .transform(
    ({ read, listed, ...rest }): Effects => ({ ...rest, read: read.map(readFile), listed: listed.map(readFile) }),
  );

/** See `settings.py`. */
const settingsSchema = z.object({
  used: z.record(z.string(), z.string().nullable()),
  made: z.record(z.string(), z.object({ digest: z.string(), value: z.string() })),
});

const readFile = (told: [string] | [string, number, string, string]): ReadFile => {
  const [path, size, mtimeNs, ino] = told;
  return { path, identity: size === undefined ? null : { size, mtimeNs: mtimeNs ?? '', ino: ino ?? '' } };
};

export const resultSchema = z.object({
  error: errorSchema.nullable(),
  variables: z.record(z.string(), recordSchema),
  /** What each variable is an instance of, as `pandas.DataFrame`; left out by a run that failed. */
  types: z.record(z.string(), z.string()).default({}),
  /** The same of what each small tuple holds. */
  items: z.record(z.string(), z.array(z.string())).default({}),
  displays: z.array(recordSchema),
  /** Of a run that failed for a module: others that it imports and that are not there either. */
  absent: names,
  mutation_warnings: z.array(
    z.object({ var_name: z.string(), message: z.string(), suggestion: z.string().nullable() }),
  ),
  until_reached: z.boolean().optional(),
  effects: effectsSchema.optional(),
  settings: settingsSchema.optional(),
  packages: z.string().optional(),
  tests: testsSchema,
  build_env: z.string(),
  /** What its process took at most. */
  peak_bytes: z.int().optional(),
  /** Modules that the cell itself had to load. */
  loaded: z.array(z.string()),
});

export type ResultMessage = z.infer<typeof resultSchema>;

/** See `asking.py` and `debugger.py`. */
const questionSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['line', 'secret']), prompt: z.string() }),
  z.object({
    kind: z.literal('debug'),
    reason: z.enum(['breakpoint', 'failure']),
    said: z.string(),
    frames: z.array(debugFrame),
    at: z.int(),
    variables: z.array(z.object({ name: z.string(), type: z.string(), value: z.string() })),
    editor: z.object({ address: z.string().nullable() }).nullable(),
  }),
]);

/** What a running cell says: it asks, an editor went on before anybody answered, or it failed and stays to be looked into. */
export const saidSchema = z.union([
  z.object({ ask: z.intersection(z.object({ number: z.int() }), questionSchema) }),
  z.object({ taken_over: z.int() }),
  z.object({ failed: resultSchema }),
]);

export const keptSchema = z.object({
  ok: z.boolean(),
  error: z.string().optional(),
  messages: z
    .array(
      z.object({
        model: z.string(),
        kind: z.enum(['comm_open', 'comm_msg', 'comm_close']),
        data: z.record(z.string(), z.unknown()),
        buffers: z.array(z.string()),
      }),
    )
    .default([]),
});

export const inspectSchema = z.object({
  ok: z.boolean(),
  result: z.string().optional(),
  type: z.string().optional(),
  error: z.string().optional(),
});
