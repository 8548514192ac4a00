// Under which name a decoded row group lies in the cache: everything that decides its bytes, and the tenant it belongs to. A
// snapshot is no part of it, so appending to a table leaves its old row groups cached.
import { createHash } from 'node:crypto';
import type { ScanPlan, Task } from '../scan/plan.ts';
import { filterFingerprint } from '../scan/provenance.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What is read of a row group: columns (empty for all) and whether the plan's filters are applied. */
export interface Cut {
  readonly columns: readonly string[];
  readonly filtered: boolean;
}

export function cacheKey(tenant: string, plan: ScanPlan, { file, group }: Task, { columns, filtered }: Cut): string {
  const parts = [
    tenant,
    plan.identity,
    plan.tableUuid,
    file.path,
    file.size,
    group.index,
    projectionKey(columns),
    `schema=${plan.schemaId}`,
    `deletes=${deletesKey(file)}`,
    `reading=${plan.reading}`,
    ...(filtered ? [`filters=${filterFingerprint(plan.request.filters)}`] : []),
  ];
  return sha256(parts.join('|'));
}

export const tenantKey = (tenant: string): string => sha256(tenant).slice(0, 8);

export const projectionKey = (columns: readonly string[]): string =>
  columns.length === 0 ? '*' : sha256(`[${columns.map((name) => JSON.stringify(name)).join(', ')}]`).slice(0, 16);

/** Delete files never change, so their names stand for them. */
function deletesKey({ positional, equality }: Task['file']): string {
  if (positional.length + equality.length === 0) return '';
  return sha256(JSON.stringify([positional, equality]));
}
