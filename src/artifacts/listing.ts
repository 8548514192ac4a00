// What the store holds, counted and listed. Lists go by an index; counts read every row and run beside the event loop.
import { type Database, number as numberOf, numberOrNull, type Row, type SqlValue } from '../database/index.ts';
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

/** Pieces of a query, with what goes in their places. */
interface Condition {
  readonly text: string;
  readonly params: readonly SqlValue[];
}

export async function listVersions({ database }: StoreParts, query: ListQuery): Promise<ArtifactVersion[]> {
  const conditions = conditionsOf(query, database.dialect);
  const { sort, order, limit, offset } = query;
  const list = (more: string, from: number, count: number): Promise<ArtifactVersion[]> => {
    const where = whereOf([...conditions, { text: more, params: [] }]);
    const by = [`v.${sort}`, 'v.id', 'v.version'].map((column) => `${column} ${order}`).join(', ');
    return database.beside.all(
      `SELECT v.* FROM artifact_versions v ${where.text} ORDER BY ${by} LIMIT ? OFFSET ?`,
      [...where.params, count, from],
      versionOf,
    );
  };
  if (sort === 'created_at') return list('', offset, limit);
  // What has no size or rows yet comes last either way; together no index would give them in order.
  const known = await list(`v.${sort} IS NOT NULL`, offset, limit);
  if (known.length === limit) return known;
  const where = whereOf([...conditions, { text: `v.${sort} IS NOT NULL`, params: [] }]);
  const before =
    known.length > 0
      ? offset + known.length
      : await database.beside.get(
          `SELECT COUNT(*) AS total FROM artifact_versions v ${where.text}`,
          where.params,
          (row) => numberOf(row, 'total'),
        );
  return [...known, ...(await list(`v.${sort} IS NULL`, Math.max(0, offset - (before ?? 0)), limit - known.length))];
}

function whereOf(conditions: readonly Condition[]): Condition {
  const used = conditions.filter(({ text }) => text !== '');
  const text = used.length === 0 ? '' : `WHERE ${used.map((each) => each.text).join(' AND ')}`;
  return { text, params: used.flatMap(({ params }) => params) };
}

/** Above every text that goes on after a beginning, in the order of code points. */
const last = '\u{10FFFF}';

function conditionsOf({ state, since, namePrefix }: ListQuery, dialect: Database['dialect']): Condition[] {
  const conditions: Condition[] = [];
  if (state !== undefined) conditions.push({ text: 'v.state = ?', params: [state] });
  if (since !== undefined) conditions.push({ text: 'v.created_at >= ?', params: [since] });
  if (namePrefix !== undefined) {
    const name = dialect === 'postgresql' ? 'n.name COLLATE "C"' : 'n.name';
    conditions.push({
      text: `(v.id, v.version) IN (SELECT n.artifact_id, n.version FROM artifact_names n WHERE ${name} >= ? AND ${name} < ?)`,
      params: [namePrefix, `${namePrefix}${last}`],
    });
  }
  return conditions;
}

/** A version has bytes of its own when it is finished and shares nobody's. */
export const ownsBytes = "state IN ('ready', 'superseded') AND canonical_id IS NULL";

/** `tenant` undefined: the whole store. Each part is what a database counts at one go, without looking anything up for each row. */
export async function usageOf({ database }: StoreParts, tenant: string | undefined): Promise<Usage> {
  const [where, params] = tenant === undefined ? ['', []] : ['WHERE v.tenant = ?', [tenant]];
  const count = (state: ArtifactState): string => `SUM(CASE WHEN v.state = '${state}' THEN 1 ELSE 0 END)`;
  const counted = await database.beside.get(
    `SELECT COUNT(*) AS total, ${count('ready')} AS ready, ${count('building')} AS building,
       ${count('superseded')} AS superseded, ${count('failed')} AS failed,
       SUM(CASE WHEN v.${ownsBytes} THEN COALESCE(v.byte_size, 0) ELSE 0 END) AS bytes,
       SUM(CASE WHEN v.state = 'ready' THEN COALESCE(v.row_count, 0) ELSE 0 END) AS row_total,
       MIN(v.created_at) AS oldest, MAX(v.created_at) AS newest
     FROM artifact_versions v ${where}`,
    params,
    usage,
  );
  if (!counted) throw new Error('A count gave no row.');
  const total = async (from: string): Promise<number> =>
    (await database.beside.get(`SELECT COUNT(*) AS total FROM ${from} ${where}`, params, (row) =>
      numberOf(row, 'total'),
    )) ?? 0;
  const pointed = ['artifact_names', 'artifact_aliases']
    .map((table) => `SELECT artifact_id, version FROM ${table}`)
    .join(' UNION ');
  const referenced = `(${pointed}) n
     JOIN artifact_versions v ON v.id = n.artifact_id AND v.version = n.version AND v.state = 'ready'`;
  return {
    ...counted,
    name_count: await total('artifact_names v'),
    unique_artifacts: await total('(SELECT DISTINCT id, tenant FROM artifact_versions) v'),
    unreferenced_count: counted.ready_versions - (await total(referenced)),
  };
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
    unique_artifacts: 0,
    unreferenced_count: 0,
    oldest_artifact: numberOrNull(row, 'oldest'),
    newest_artifact: numberOrNull(row, 'newest'),
  };
}
