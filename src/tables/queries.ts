// TableQueries over files of Arrow streams, each in a process that reaches nothing else, and whole tables written as such files.
import { link, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { refusals } from '../errors/index.ts';
import type { Settings } from '../settings/index.ts';
import { type Asks, assembleUnsummed, runQuery } from './engine.ts';
import type { Planner, ScanPlan } from './scan/plan.ts';
import { tableVersion } from './scan/provenance.ts';
import type { RowGroupReader } from './scan/readRowGroup.ts';
import { wholeTable } from './scan/request.ts';
import { startRowGroups } from './scan/rowGroups.ts';

export interface EmbeddedQuery {
  readonly sql: string;
  /** Arrow streams, which the query knows as `input0`, `input1`, … */
  readonly inputs: readonly string[];
  readonly target: string;
  readonly maxBytes: number;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

export interface TableInput {
  readonly uri: string;
  /** The state of the table that is meant, as `versionOf` wrote it. */
  readonly version: string;
  /** Whose cache is used. */
  readonly tenant: string;
  readonly target: string;
  readonly signal: AbortSignal;
}

export interface TableQueries {
  run(query: EmbeddedQuery): Promise<{
    readonly byteSize: number;
    readonly sha256: string;
    readonly rows: number;
    readonly schemaText: string;
  }>;
  /** Writes a whole table, in the state that is asked for, as one Arrow stream. */
  writeTable(table: TableInput): Promise<void>;
}

export interface TableQueriesParts {
  readonly settings: Settings;
  readonly planner: Planner;
  readonly reader: RowGroupReader;
  readonly engine: () => Asks;
}

/** What a query may hold in memory before it spills. */
const memoryBytes = 400 * 1024 * 1024;

export function createTableQueries({ settings, planner, reader, engine }: TableQueriesParts): TableQueries {
  async function planAt({ uri, version, tenant }: Pick<TableInput, 'uri' | 'version' | 'tenant'>): Promise<ScanPlan> {
    const address = planner.address(uri); // of an order that was checked; a build is begun later, maybe by another server
    const current = await planner.plan(address, wholeTable, tenant);
    if (isState(current, version)) return current;
    const snapshotId = /^(-?\d+):/.exec(version)?.[1];
    const earlier =
      snapshotId === undefined ? undefined : await planner.plan(address, { ...wholeTable, snapshotId }, tenant);
    if (!earlier || !isState(earlier, version)) throw refusals.tableStateGone(uri);
    return earlier;
  }

  return {
    async run({ timeoutSeconds, signal, ...query }) {
      const spill = path.join(settings.cacheDir, 'spill');
      await mkdir(spill, { recursive: true });
      return runQuery(engine(), { ...query, spill, memoryBytes }, { timeoutMs: timeoutSeconds * 1000, signal });
    },

    async writeTable({ uri, version, tenant, target, signal }) {
      const plan = await planAt({ uri, version, tenant });
      const groups = startRowGroups(plan.tasks.length, settings.fetchParallelism, (index, unwanted) => {
        const task = plan.tasks[index];
        if (!task) throw new RangeError(`There is no row group ${index}.`);
        return reader.read(plan, task, tenant, AbortSignal.any([unwanted, signal]));
      });
      try {
        const files = (await groups.all).map(({ file }) => file);
        // A single row group is the stream that is wanted.
        const [only] = files;
        if (only !== undefined && files.length === 1 && (await isLinked(only, target))) return;
        const limits = { timeoutMs: settings.scanTimeoutSeconds * 1000, signal };
        await assembleUnsummed(engine(), { schemaMessage: plan.schemaMessage, files, target }, limits);
      } finally {
        await groups.release();
      }
    },
  };
}

/** False where it has to be copied: the cache may lie on another disk. */
const isLinked = (file: string, target: string): Promise<boolean> =>
  link(file, target).then(
    () => true,
    () => false,
  );

/** A table without snapshots is recorded under a number of its own each time; it is the same while it has none. */
const isState = (plan: ScanPlan, version: string): boolean =>
  plan.snapshotId === null
    ? version.startsWith('empty:') && version.endsWith(`:${plan.schemaId}`)
    : tableVersion(plan) === version;
