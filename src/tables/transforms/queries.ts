// Queries as builds: inputs at the versions that were admitted, as files of Arrow streams; the query in a process of its own; the
// result stored under the key of what it was made from.
import { randomUUID } from 'node:crypto';
import { mkdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Artifacts, type ArtifactVersion, transformHash, transformSpec } from '../../artifacts/index.ts';
import { EngineRefused } from '../../engine/index.ts';
import { refusals } from '../../errors/index.ts';
import type { Log } from '../../observability/index.ts';
import type { Settings } from '../../settings/index.ts';
import { type Asks, assembleStream, runQuery } from '../engine.ts';
import { createSlots } from '../qos/slots.ts';
import type { Plan } from '../scan/plan.ts';
import type { RowGroupReader } from '../scan/readRowGroup.ts';
import { startRowGroups } from '../scan/rowGroups.ts';
import type { OfferedTransform } from './registry.ts';

/** One input, at the version that the result will be known by. */
export type QueryInput =
  | { readonly uri: string; readonly version: string; readonly artifact: ArtifactVersion }
  | { readonly uri: string; readonly version: string; readonly plan: Plan };

export interface QueryOrder {
  readonly executor: string;
  readonly offered: OfferedTransform;
  /** With numbers as they were sent. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly inputs: readonly QueryInput[];
  readonly name: string | null;
  readonly refresh: boolean;
  readonly tenant: string;
  readonly storeTenant: string;
  readonly principal: string | null;
}

export interface QueryBuild {
  readonly id: string;
  readonly executor: string;
  readonly version: ArtifactVersion;
  readonly principal: string | null;
  readonly tenant: string;
  readonly state: 'pending' | 'building' | 'ready' | 'failed';
  readonly createdAt: number;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly error: { readonly code: string; readonly message: string } | undefined;
}

export interface Queries {
  order(order: QueryOrder): Promise<{ readonly hit: ArtifactVersion } | { readonly build: QueryBuild }>;
  find(id: string): QueryBuild | undefined;
}

export interface QueriesParts {
  readonly settings: Settings;
  readonly artifacts: Artifacts | undefined;
  readonly reader: RowGroupReader;
  readonly engine: () => Asks;
  readonly log: Log;
}

const keptBuilds = 1000;
/** What a query may hold in memory before it spills. */
const memoryBytes = 400 * 1024 * 1024;

export function createQueries({ settings, artifacts, reader, engine, log }: QueriesParts): Queries {
  const builds = new Map<string, QueryBuild>();
  const slots = createSlots(settings.buildRunnerMaxConcurrent);

  function note(build: QueryBuild): QueryBuild {
    builds.set(build.id, build);
    const [oldest] = builds.keys();
    if (builds.size > keptBuilds && oldest !== undefined) builds.delete(oldest);
    return build;
  }

  async function run(store: Artifacts, order: QueryOrder, pending: QueryBuild): Promise<void> {
    const release = await slots.take(Number.POSITIVE_INFINITY);
    const build = note({ ...pending, state: 'building', startedAt: Date.now() / 1000 });
    try {
      const version = await produce(store, order, build.version);
      note({ ...build, version, state: 'ready', endedAt: Date.now() / 1000 });
    } catch (error) {
      await store.versions.fail(build.version);
      note({ ...build, state: 'failed', endedAt: Date.now() / 1000, error: described(error) });
      if (!(error instanceof EngineRefused)) log.info('A query failed', { error });
    } finally {
      release?.();
    }
  }

  async function produce(store: Artifacts, order: QueryOrder, version: ArtifactVersion): Promise<ArtifactVersion> {
    const { sql } = order.params;
    if (typeof sql !== 'string' || sql.trim() === '') throw new InvalidQuery('duckdb_sql@v1 needs a query as `sql`.');
    const temporary: string[] = [];
    try {
      const inputs: string[] = [];
      for (const input of order.inputs) inputs.push(await fileOf(store, input, order.tenant, temporary));
      await checkInputs(inputs, order.offered.maxInputBytes);
      const spill = path.join(settings.cacheDir, 'spill');
      await mkdir(spill, { recursive: true });
      const target = store.staging.place();
      const { rows, schemaText, ...bytes } = await runQuery(
        engine(),
        { sql, inputs, target, spill, memoryBytes, maxBytes: order.offered.maxOutputBytes },
        { timeoutMs: order.offered.timeoutSeconds * 1000 },
      );
      await store.versions.upload(version, { file: target, ...bytes });
      const actor = { tenant: version.tenant, principal: version.principal };
      return await store.versions.finalize(version, { schema: schemaText, rowCount: rows, name: order.name, actor });
    } finally {
      for (const file of temporary) await rm(file, { force: true });
    }
  }

  /** The rows of an input as one Arrow stream; what is made for it is noted as temporary. */
  async function fileOf(store: Artifacts, input: QueryInput, tenant: string, temporary: string[]): Promise<string> {
    if ('artifact' in input) {
      const blob = await store.versions.open(input.artifact);
      if (!blob) throw new InvalidQuery(`Artifact blob not found: ${input.uri}`);
      if (blob.file !== undefined) return blob.file;
      const { file } = await store.staging.receive(await blob.read(), Number.POSITIVE_INFINITY);
      temporary.push(file);
      return file;
    }
    const { plan } = input;
    const groups = startRowGroups(plan.tasks.length, settings.fetchParallelism, (index, signal) => {
      const task = plan.tasks[index];
      if (!task) throw new RangeError(`There is no row group ${index}.`);
      return reader.read(plan, task, tenant, signal);
    });
    try {
      const files = (await groups.all).map(({ file }) => file);
      const target = store.staging.place();
      temporary.push(target);
      const limits = { timeoutMs: settings.scanTimeoutSeconds * 1000 };
      await assembleStream(engine(), { schemaMessage: plan.schemaMessage, files, target }, limits);
      return target;
    } finally {
      await groups.release();
    }
  }

  return {
    find: (id) => builds.get(id),
    async order(order) {
      if (!artifacts) throw refusals.noArtifactStore();
      const { versions } = artifacts;
      const { storeTenant: tenant, principal } = order;
      const resolved = Object.fromEntries(order.inputs.map(({ uri, version }) => [uri, version]));
      const spec = transformSpec({
        executor: order.executor,
        inputs: order.inputs.map(({ uri }) => uri),
        params: order.params,
      });
      const provenanceHash = transformHash(spec, resolved);
      const known = await versions.ready(tenant, provenanceHash);
      if (known && !order.refresh) {
        await versions.nameReady({ tenant, principal }, provenanceHash, order.name);
        await versions.used(known);
        return { hit: known };
      }
      for (const input of order.inputs) if ('artifact' in input) await versions.used(input.artifact);
      const version = await versions.begin({
        id: known?.id ?? null,
        provenanceHash,
        transformSpec: spec,
        inputVersions: JSON.stringify(resolved),
        tenant,
        principal,
      });
      const build = note({
        id: randomUUID(),
        executor: order.executor,
        version,
        principal,
        tenant,
        state: 'pending',
        createdAt: Date.now() / 1000,
        startedAt: undefined,
        endedAt: undefined,
        error: undefined,
      });
      void run(artifacts, order, build);
      return { build };
    },
  };
}

class InvalidQuery extends Error {
  override readonly name = 'ValidationError';
}

async function checkInputs(files: readonly string[], limit: number | null): Promise<void> {
  if (limit === null) return;
  let bytes = 0;
  for (const file of files) bytes += (await stat(file)).size;
  if (bytes > limit) throw new InvalidQuery(`The inputs take ${bytes} bytes, more than the ${limit} that are allowed.`);
}

function described(error: unknown): { code: string; message: string } {
  if (error instanceof EngineRefused)
    return { code: error.type === 'OutputTooLarge' ? 'OUTPUT_TOO_LARGE' : error.type, message: error.reason };
  return error instanceof Error
    ? { code: error.name, message: error.message }
    : { code: 'Error', message: String(error) };
}
