// Reads row groups into the cache ahead of whoever will ask for them: at once, or as a job that can be watched and stopped. What
// was read stays, whatever becomes of the job.
import { randomBytes } from 'node:crypto';
import { Refusal } from '../errors/index.ts';
import type { TableAddress } from '../tableAddress.ts';
import type { Planner, Task } from './scan/plan.ts';
import type { RowGroupReader } from './scan/readRowGroup.ts';

export interface WarmOrder {
  /** As they were checked. */
  readonly tables: readonly TableAddress[];
  readonly columns: readonly string[];
  readonly maxRowGroups: number | null;
  readonly concurrent: number;
  readonly snapshotId: string | null;
  readonly tenant: string;
}

export interface WarmProgress {
  tablesCompleted: number;
  rowGroupsTotal: number;
  rowGroupsCompleted: number;
  rowGroupsCached: number;
  rowGroupsSkipped: number;
  bytesWritten: number;
  currentTable: string | null;
  readonly errors: string[];
}

export type WarmStatus = 'pending' | 'running' | 'completed' | 'failed' | 'cancelled';

export interface WarmJob {
  readonly id: string;
  readonly tenant: string;
  readonly tables: number;
  status: WarmStatus;
  readonly progress: WarmProgress;
  startedAt: number | null;
  completedAt: number | null;
}

export interface Warming {
  /** Waits until everything is read. */
  run(order: WarmOrder): Promise<WarmProgress>;
  start(order: WarmOrder): WarmJob;
  jobs(): readonly WarmJob[];
  /** False when there is nothing to stop. */
  cancel(id: string): boolean;
  close(): void;
}

const keptJobs = 200;

export function createWarming(planner: Planner, reader: RowGroupReader): Warming {
  const jobs = new Map<string, { readonly job: WarmJob; readonly stop: AbortController }>();

  async function warmTable(
    address: TableAddress,
    order: WarmOrder,
    progress: WarmProgress,
    signal: AbortSignal,
  ): Promise<void> {
    const request = { columns: order.columns, filters: [], snapshotId: order.snapshotId };
    const plan = await planner.plan(address, request, order.tenant);
    const tasks = plan.tasks.slice(0, order.maxRowGroups ?? plan.tasks.length);
    progress.rowGroupsTotal += tasks.length;
    const left: Task[] = [...tasks];
    const work = async (): Promise<void> => {
      for (let task = left.shift(); task; task = left.shift()) {
        const held = await reader.read(plan, task, order.tenant, signal);
        held.release();
        progress.rowGroupsCompleted += 1;
        if (held.hit) progress.rowGroupsSkipped += 1;
        else {
          progress.rowGroupsCached += 1;
          progress.bytesWritten += held.bytes;
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(order.concurrent, tasks.length) }, work));
  }

  async function warm(order: WarmOrder, progress: WarmProgress, signal: AbortSignal): Promise<void> {
    for (const address of order.tables) {
      signal.throwIfAborted();
      progress.currentTable = address.uri;
      try {
        await warmTable(address, order, progress, signal);
        progress.tablesCompleted += 1;
      } catch (error) {
        signal.throwIfAborted();
        progress.errors.push(`${address.uri}: ${error instanceof Refusal ? error.message : 'it could not be read'}`);
      }
    }
    progress.currentTable = null;
  }

  const fresh = (): WarmProgress => ({
    tablesCompleted: 0,
    rowGroupsTotal: 0,
    rowGroupsCompleted: 0,
    rowGroupsCached: 0,
    rowGroupsSkipped: 0,
    bytesWritten: 0,
    currentTable: null,
    errors: [],
  });

  async function follow(job: WarmJob, order: WarmOrder, signal: AbortSignal): Promise<void> {
    job.status = 'running';
    job.startedAt = Date.now() / 1000;
    try {
      await warm(order, job.progress, signal);
      job.status = job.progress.tablesCompleted === 0 && job.progress.errors.length > 0 ? 'failed' : 'completed';
    } catch {
      job.status = 'cancelled';
    }
    job.completedAt = Date.now() / 1000;
  }

  function forgetOld(): void {
    for (const [id, { job }] of jobs) {
      if (jobs.size <= keptJobs) return;
      if (job.completedAt !== null) jobs.delete(id);
    }
  }

  return {
    async run(order) {
      const progress = fresh();
      await warm(order, progress, new AbortController().signal);
      return progress;
    },
    start(order) {
      const id = randomBytes(4).toString('hex');
      const { tenant, tables } = order;
      const job: WarmJob = {
        id,
        tenant,
        tables: tables.length,
        status: 'pending',
        progress: fresh(),
        startedAt: null,
        completedAt: null,
      };
      const stop = new AbortController();
      jobs.set(id, { job, stop });
      forgetOld();
      setImmediate(() => void follow(job, order, stop.signal));
      return job;
    },
    jobs: () => [...jobs.values()].map(({ job }) => job),
    cancel(id) {
      const found = jobs.get(id);
      if (!found || found.job.completedAt !== null || found.stop.signal.aborted) return false;
      found.stop.abort(new Error('The job was cancelled.'));
      found.job.status = 'cancelled';
      return true;
    },
    close() {
      for (const { stop } of jobs.values()) stop.abort(new Error('The server stops.'));
    },
  };
}
