// The manifest of a bundle: what a run on a worker gave, in the words of the wire. Workers of others write it too, so it
// asks for no more than the protocol does.
import { z } from 'zod';
import {
  cellErrorSchema,
  type RunResult,
  testOutcomesSchema,
  type ValueRecord,
  valueRecordSchema,
} from '../runtimes/index.ts';

export const bundleVersion = 'notebook-output-bundle@v1';

/** `files/` and one name. */
const filePath = z.string().regex(/^files\/(?!\.{1,2}$)[^/\\\0]+$/);

const recordSchema = valueRecordSchema.extend({
  content_type: z.string().default('error'),
  file: filePath.optional(),
  // Some R workers count them.
  columns: z.array(z.string()).optional().catch(undefined),
});

/** Becomes a part of ids: of any language, and nothing that stands between the parts of a path or an address. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const variableName = z.string().regex(/^[^\u0000-\u001f\u007f/\\@]{1,255}$/);

/** Somebody is offered to install it. */
const packageName = z.string().regex(/^[A-Za-z0-9_][\w.-]{0,254}$/);

const folderIndex = z.record(z.string().regex(/^[A-Za-z_]\w*$/), z.record(z.string(), z.int().nonnegative()));

/** So many names of a kind. */
export const maxTold = 1000;
const told = z.array(z.string().max(4096)).max(maxTold).readonly().default([]);

/** What the cell touched on the worker's machine. Names of files are from the cell's folder there, or absolute. */
const effectsSchema = z.object({
  read: told,
  unwatched: z.int().nonnegative().default(0),
  written: told,
  listed: told,
  hosts: told,
  programs: told,
  variables: told,
  clock: z.boolean().default(false),
  entropy: z.boolean().default(false),
  remade: told,
});
export type WireEffects = z.infer<typeof effectsSchema>;

export const manifestSchema = z.looseObject({
  schema_version: z.literal(bundleVersion),
  success: z.boolean(),
  variables: z.record(variableName, recordSchema),
  displays: z.array(recordSchema).default([]),
  stdout_file: z.string(),
  stderr_file: z.string(),
  mutation_warnings: z
    .array(z.object({ var_name: z.string(), message: z.string(), suggestion: z.string().nullable().default(null) }))
    .default([]),
  error: z.string().nullable().default(null),
  traceback: z.string().nullable().default(null),
  build_env: z.string().default(''),
  output_dirs: folderIndex.default({}),
  output_dirs_streamed: z.record(z.string(), z.array(z.string())).optional(),
  /** What only workers of this project say: variables that nobody asked for, and the failure in its parts. */
  described: z.record(variableName, recordSchema).default({}),
  error_detail: cellErrorSchema.nullable().default(null),
  /** Told beside the result: what is said in another way is left aside. */
  effects: effectsSchema.optional().catch(undefined),
  until_reached: z.boolean().optional(),
  tests: testOutcomesSchema,
  /** Beside the one that the error names. */
  missing_packages: z.array(packageName).max(maxTold).default([]).catch([]),
});

export type BundleManifest = z.infer<typeof manifestSchema>;

export interface BundleFacts {
  readonly hardware: object;
  /** Undefined where nobody saw what the cell touched. */
  readonly effects?: WireEffects | undefined;
  readonly outputDirs: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Undefined when no file was sent while the cell ran. */
  readonly streamed?: Readonly<Record<string, readonly string[]>> | undefined;
  /** What was fetched for each mount, and what went back to which. */
  readonly mountBytes: Readonly<Record<string, number>>;
  readonly mountWrites: readonly object[];
}

const inFiles = (record: ValueRecord): ValueRecord =>
  record.file === undefined ? record : { ...record, file: `files/${record.file}` };

/** The last display also travels as the variable `_`. */
export function manifestOf(run: RunResult, facts: BundleFacts): object {
  const entries = Object.entries(run.variables).map(([name, record]) => [name, inFiles(record)] as const);
  const isTold = ([, record]: readonly [string, ValueRecord]): boolean =>
    record.file !== undefined || record.error !== undefined;
  const displays = run.displays.map(inFiles);
  const last = displays.at(-1);
  return {
    build_env: run.buildEnv,
    described: Object.fromEntries(entries.filter((entry) => !isTold(entry))),
    displays,
    ...(facts.effects ? { effects: facts.effects } : {}),
    error: run.error?.message ?? null,
    error_detail: run.error,
    hardware: facts.hardware,
    mount_bytes: facts.mountBytes,
    ...(facts.mountWrites.length > 0 ? { mount_writes: facts.mountWrites } : {}),
    ...(run.suggestInstall?.also ? { missing_packages: run.suggestInstall.also } : {}),
    mutation_warnings: run.mutationWarnings,
    output_dirs: facts.outputDirs,
    ...(facts.streamed ? { output_dirs_streamed: facts.streamed } : {}),
    schema_version: bundleVersion,
    stderr_file: 'stderr.txt',
    stdout_file: 'stdout.txt',
    success: run.outcome === 'success',
    ...(run.tests === undefined ? {} : { tests: run.tests }),
    traceback: run.error?.text ?? null,
    ...(run.untilReached === undefined ? {} : { until_reached: run.untilReached }),
    variables: Object.fromEntries([...entries.filter(isTold), ...(last ? [['_', last]] : [])]),
  };
}
