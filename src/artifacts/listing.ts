// What the store holds, counted and listed. Lists go by an index; counts read every row and run beside the event loop.
import { number as numberOf, numberOrNull, type Row, type SqlValue } from '../database/index.ts';
import type { StoreParts } from './parts.ts';
import { versionOf } from './rows.ts';
import type { ArtifactState, ArtifactVersion } from './types.ts';

export const sortColumns = ['created_at', 'byte_size', 'row_count'] as const;

export interface ListQuery {
  readonly limit: number;
  readonly offset: number;
  readonly state: ArtifactState | undefined;
  /** Only versions that a name with this beginning points at. */
  readonly namePrefix: string | undefined;
  readonly since: number | undefined;
  readonly sort: (typeof sortColumns)[number];
  readonly order: 'asc' | 'desc';
}

export interface Usage {
  readonly total_versions: number;
  readonly ready_versions: number;
  readonly building_versions: number;
  readonly superseded_versions: number;
  readonly failed_versions: number;
  readonly total_bytes: number;
  readonly total_rows: number;
  readonly name_count: number;
  readonly unique_artifacts: number;
  readonly unreferenced_count: number;
  readonly oldest_artifact: number | null;
  readonly newest_artifact: number | null;
}

export function listVersions({ database }: StoreParts, query: ListQuery): Promise<ArtifactVersion[]> {
  const conditions: string[] = [];
  const params: SqlValue[] = [];
  if (query.state !== undefined) {
    conditions.push('v.state = ?');
    params.push(query.state);
  }
  if (query.since !== undefined) {
    conditions.push('v.created_at >= ?');
    params.push(query.since);
  }
  if (query.namePrefix !== undefined) {
    conditions.push(
      'EXISTS (SELECT 1 FROM artifact_names n WHERE n.artifact_id = v.id AND n.version = v.version AND SUBSTR(n.name, 1, ?) = ?)',
    );
    // Both databases count characters, not UTF-16 units.
    params.push([...query.namePrefix].length, query.namePrefix);
  }
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const { sort, order } = query;
  // What has no size or rows yet comes last either way.
  const missing = sort === 'created_at' ? '' : `v.${sort} IS NULL, `;
  return database.beside.all(
    `SELECT v.* FROM artifact_versions v ${where}
     ORDER BY ${missing}v.${sort} ${order}, v.id ${order}, v.version ${order} LIMIT ? OFFSET ?`,
    [...params, query.limit, query.offset],
    versionOf,
  );
}

/** A version has bytes of its own when it is finished and shares nobody's. */
export const ownsBytes = "state IN ('ready', 'superseded') AND canonical_id IS NULL";

/** `tenant` undefined: the whole store. */
export async function usageOf({ database }: StoreParts, tenant: string | undefined): Promise<Usage> {
  const [where, params] = tenant === undefined ? ['', []] : ['WHERE v.tenant = ?', [tenant]];
  const count = (state: ArtifactState): string => `SUM(CASE WHEN v.state = '${state}' THEN 1 ELSE 0 END)`;
  const unpointed = ['artifact_names', 'artifact_aliases']
    .map((table) => `NOT EXISTS (SELECT 1 FROM ${table} n WHERE n.artifact_id = v.id AND n.version = v.version)`)
    .join(' AND ');
  const counted = await database.beside.get(
    `SELECT COUNT(*) AS total, ${count('ready')} AS ready, ${count('building')} AS building,
       ${count('superseded')} AS superseded, ${count('failed')} AS failed,
       SUM(CASE WHEN v.${ownsBytes} THEN COALESCE(v.byte_size, 0) ELSE 0 END) AS bytes,
       SUM(CASE WHEN v.state = 'ready' THEN COALESCE(v.row_count, 0) ELSE 0 END) AS row_total,
       COUNT(DISTINCT v.id) AS ids, MIN(v.created_at) AS oldest, MAX(v.created_at) AS newest,
       SUM(CASE WHEN v.state = 'ready' AND ${unpointed} THEN 1 ELSE 0 END) AS unreferenced
     FROM artifact_versions v ${where}`,
    params,
    usage,
  );
  const names = await database.beside.get(`SELECT COUNT(*) AS total FROM artifact_names v ${where}`, params, (row) =>
    numberOf(row, 'total'),
  );
  if (!counted) throw new Error('A count gave no row.');
  return { ...counted, name_count: names ?? 0 };
}

function usage(row: Row): Usage {
  const sum = (column: string): number => numberOrNull(row, column) ?? 0;
  return {
    total_versions: sum('total'),
    ready_versions: sum('ready'),
    building_versions: sum('building'),
    superseded_versions: sum('superseded'),
    failed_versions: sum('failed'),
    total_bytes: sum('bytes'),
    total_rows: sum('row_total'),
    name_count: 0,
    unique_artifacts: sum('ids'),
    unreferenced_count: sum('unreferenced'),
    oldest_artifact: numberOrNull(row, 'oldest'),
    newest_artifact: numberOrNull(row, 'newest'),
  };
}
