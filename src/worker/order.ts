// What a worker is asked to do, whichever way it was asked: the cell, its limits and what it reads. Three requests of the
// protocol carry the same parameters in different places; here they become one order.
import { z } from 'zod';
import { extensionOf } from '../bundle/index.ts';
import type { NamedMount } from '../mounts/index.ts';
import { type ModuleSlice, plainNumber } from '../runtimes/index.ts';
import { checkMounts } from './mounts.ts';
import { invalid } from './refused.ts';

/** One input as it was announced; where its bytes are is the transport's to know. */
export interface InputSpec {
  readonly format: string;
  /** A plain file name. */
  readonly file: string;
  /** What the transport finds the bytes by. */
  readonly source: string;
  readonly injected: Readonly<Record<string, InputSpec>>;
  /** One value for each variant; there are no bytes of its own then. */
  readonly variants: Readonly<Record<string, InputSpec>>;
}

export interface Order {
  readonly buildId: string;
  /** Who asked for the run, as the server says; null where it says nothing. */
  readonly principal: string | null;
  readonly source: string;
  readonly language: string;
  readonly timeoutSeconds: number;
  readonly env: Readonly<Record<string, string>>;
  readonly mutationDefines: readonly string[];
  readonly tables: Readonly<Record<string, { readonly uri: unknown; readonly snapshot_id?: unknown }>>;
  /** As it was sent: it is judged when it is installed. */
  readonly environment: unknown;
  /** In which environment the server counts on it to run; undefined: it does not say. */
  readonly environmentKind: 'locked' | 'own' | undefined;
  readonly mounts: readonly NamedMount[];
  readonly job: JobDetails | undefined;
  readonly inputs: Readonly<Record<string, InputSpec>>;
}

const sliceSchema = z.object({
  module_name: z.string(),
  kind: z.enum(['function', 'async function', 'class', 'constant']),
  source: z.string(),
  provenance_hash: z.string().nullable(),
  injected: z.record(z.string(), z.string()),
});

/** What servers of this project add: only what is wanted is stored, and code travels as code. */
const jobSchema = z.object({
  cell_id: z.string(),
  wanted: z.array(z.string()),
  module_slices: z.record(z.string(), sliceSchema).default({}),
  codec: z.string().default('cloudpickle'),
  until: z.string().nullable().default(null),
  tests: z.string().nullable().default(null),
  local_modules: z.record(z.string(), z.string()).default({}),
});

export interface JobDetails {
  readonly cellId: string;
  readonly wanted: readonly string[];
  readonly moduleSlices: Readonly<Record<string, ModuleSlice>>;
  readonly codec: string;
  readonly until: string | null;
  readonly tests: string | null;
  /** Modules of the notebook's own, for the folder that the cell runs in: path → text. */
  readonly localModules: Readonly<Record<string, string>>;
}

const mountSchema = z.object({
  name: z.string().regex(/^[A-Za-z_]\w*$/, 'is no name of a variable'),
  uri: z.string(),
  mode: z.enum(['ro', 'rw']).default('ro'),
  pin: z.string().nullable().default(null),
  options: z.record(z.string(), z.unknown()).default({}),
  credential: z.string().nullable().default(null),
});

export const paramsSchema = z.looseObject({
  source: z.string(),
  timeout_seconds: z.preprocess(plainNumber, z.number().positive()).default(30),
  mounts: z.array(mountSchema).default([]),
  env: z.record(z.string(), z.string()).default({}),
  language: z.string().default('python'),
  mutation_defines: z.array(z.string()).default([]),
  tables: z.record(z.string(), z.looseObject({ uri: z.unknown(), snapshot_id: z.unknown() })).default({}),
  environment: z.unknown().optional(),
  environment_kind: z.enum(['locked', 'own']).optional(),
  svc_job: jobSchema.optional(),
});

export type Params = z.infer<typeof paramsSchema>;

/** What the metadata of every form says beside the parameters. */
export const principalSchema = z.string().max(256).nullable().default(null).catch(null);

export function orderOf(
  { buildId, principal }: Pick<Order, 'buildId' | 'principal'>,
  params: Params,
  inputs: Order['inputs'],
): Order {
  checkMounts(params.mounts);
  return {
    buildId,
    principal,
    source: params.source,
    language: params.language,
    timeoutSeconds: params.timeout_seconds,
    env: params.env,
    mutationDefines: params.mutation_defines,
    tables: params.tables,
    environment: params.environment,
    environmentKind: params.environment_kind,
    mounts: params.mounts,
    job: params.svc_job && detailsOf(params.svc_job),
    inputs,
  };
}

const detailsOf = ({
  cell_id,
  wanted,
  module_slices,
  codec,
  until,
  tests,
  local_modules,
}: z.infer<typeof jobSchema>): JobDetails => ({
  cellId: cell_id,
  localModules: local_modules,
  wanted,
  codec,
  until,
  tests,
  moduleSlices: Object.fromEntries(
    Object.entries(module_slices).map(([name, { module_name, kind, source, provenance_hash, injected }]) => [
      name,
      { moduleName: module_name, kind, source, provenanceHash: provenance_hash, injected },
    ]),
  ),
});

/** Throws the refusal of a request with what was wrong where. */
export function checked<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const { data, error } = schema.safeParse(value);
  if (error) throw invalid(`${what} is not as the protocol says: ${z.prettifyError(error)}`);
  return data;
}

/** As file systems have it, and room for what is put after it. */
const maxNameBytes = 240;

/** Only the last part of a name counts, and only a plain one. */
export function fileNameOf(name: string, format: string, given: string | undefined): string {
  const last = (given ?? `${name}${extensionOf(format)}`).split(/[/\\]/).at(-1) ?? '';
  const isPlain = last !== '' && last !== '.' && last !== '..' && !last.includes('\0');
  if (!isPlain || Buffer.byteLength(last) > maxNameBytes)
    throw invalid(`The input ${name.slice(0, 100)} has no plain file name of at most ${maxNameBytes} bytes.`);
  return last;
}
