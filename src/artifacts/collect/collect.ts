// One sweep of the store: a plan, then the planned versions one small transaction after the other, each looked at again
// before it goes. Rows first, bytes after; bytes that nobody names any more are found by the sweep for orphans.
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { threadProgram } from '../../places.ts';
import type { StoreParts } from '../parts.ts';
import { removeRow } from '../removal.ts';
import { findVersion } from '../rows.ts';
import { seconds } from '../types.ts';
import { type CollectionPlan, type Policy, planCollection, type Victim } from './plan.ts';
import type { PlanRequest, PlanSlice } from './planWorker.ts';

export interface Collected {
  readonly deletedCount: number;
  readonly deletedBytes: number;
  /** What the store held before. */
  readonly storeBytes: number;
  readonly victims: readonly Victim[];
}

export interface Collection {
  plan(policy: Policy): Promise<CollectionPlan>;
  collect(policy: Policy): Promise<Collected>;
  /** Removes bytes that no row names, and leftovers of uploads, when they are older than an hour. */
  sweepOrphans(): Promise<number>;
}

const batchLength = 50;
const orphanSeconds = 3600;

/** `sqliteFile`: planned in a thread; a database elsewhere plans by itself. */
export function createCollection(parts: StoreParts, sqliteFile: string | undefined): Collection {
  const { database, blobs, staging, now } = parts;

  const plan = (policy: Policy): Promise<CollectionPlan> =>
    sqliteFile === undefined
      ? planCollection(database, policy, now())
      : planInThread({ file: sqliteFile, policy, now: now() });

  async function removeBatch(batch: readonly Victim[], plannedAt: number): Promise<Victim[]> {
    const unneeded: string[] = [];
    const removed: Victim[] = [];
    await database.transaction(async (queries) => {
      for (const victim of batch) {
        const version = await findVersion(queries, victim);
        const usedAt = version && (version.lastUsedAt ?? version.createdAt);
        if (!version || version.state === 'building' || usedAt !== victim.lastUsedAt) continue;
        if (await queries.get(stillHeldSql, [victim.id, victim.version, plannedAt], () => true)) continue;
        const blob = await removeRow(parts, queries, version, null);
        if (blob !== undefined) unneeded.push(blob);
        removed.push(victim);
      }
    });
    for (const name of unneeded) await blobs.remove(name);
    return removed;
  }

  return {
    plan,

    async collect(policy) {
      const plannedAt = now();
      const { victims, storeBytes } = await plan(policy);
      const gone: Victim[] = [];
      for (let at = 0; at < victims.length; at += batchLength) {
        gone.push(...(await removeBatch(victims.slice(at, at + batchLength), plannedAt)));
        await setImmediate();
      }
      const deletedBytes = gone.reduce((sum, { byteSize }) => sum + byteSize, 0);
      return { deletedCount: gone.length, deletedBytes, storeBytes, victims: gone };
    },

    async sweepOrphans() {
      // Bytes are dated by this machine or by an object store, not by the database: they are old when no clock objects.
      const before = Math.min(now(), seconds()) - orphanSeconds;
      let removed = await staging.sweep(before);
      for await (const names of blobs.list(before)) {
        for (const name of names) {
          if (await isNamed(name)) continue;
          await blobs.remove(name);
          removed += 1;
        }
        await setImmediate();
      }
      return removed;
    },
  };

  async function isNamed(name: string): Promise<boolean> {
    for (const table of ['artifact_versions', 'import_staging', 'build_attempts'])
      if (await database.get(`SELECT blob_name FROM ${table} WHERE blob_name = ? LIMIT 1`, [name], () => true))
        return true;
    return false;
  }
}

/**
 * What may have come to hold a version since it was planned: a pointer at it, at something made from it or at somebody who
 * shares the bytes of that, or a version that is being made or was made since.
 */
const stillHeldSql = `WITH RECURSIVE made(id, version) AS (
    SELECT CAST(? AS TEXT), CAST(? AS BIGINT)
    UNION SELECT i.artifact_id, i.version FROM made m
      JOIN artifact_inputs i ON i.input_id = m.id AND i.input_number = m.version
  ), reached AS (
    SELECT id, version FROM made
    UNION SELECT v.id, v.version FROM made m
      JOIN artifact_versions v ON v.canonical_id = m.id AND v.canonical_version = m.version
  )
  ${['names', 'aliases', 'publications', 'pins']
    .map(
      (table) =>
        `SELECT 1 AS held FROM reached r JOIN artifact_${table} p ON p.artifact_id = r.id AND p.version = r.version UNION ALL`,
    )
    .join(' ')}
  SELECT 1 FROM reached r JOIN registry_pending p ON p.artifact_id = r.id AND p.version = r.version
  UNION ALL SELECT 1 FROM reached r JOIN artifact_versions v ON v.id = r.id AND v.version = r.version
    AND (v.state = 'building' OR v.created_at >= ?)
  LIMIT 1`;

function planInThread(request: PlanRequest): Promise<CollectionPlan> {
  return new Promise((resolve, reject) => {
    const victims: Victim[] = [];
    const worker = new Worker(threadProgram('artifacts/collect/planWorker'), { workerData: request });
    worker.on('message', (slice: PlanSlice) => {
      if ('victims' in slice) for (const victim of slice.victims) victims.push(victim);
      else resolve({ victims, storeBytes: slice.storeBytes });
    });
    worker.on('error', reject);
    worker.on('exit', () => reject(new Error('The planning of a sweep ended early.')));
  });
}
