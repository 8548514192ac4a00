// The audit of the registry: one row for every change, written in the transaction of the change. Numbers follow the order
// of commits, so that a reader who has seen one number has seen every change before it.
import {
  type Database,
  number as numberOf,
  numberOrNull,
  type Queries,
  type Row,
  text,
  textOrNull,
} from '../../database/index.ts';
import { lockKey } from '../rows.ts';

export interface AuditEntry {
  readonly actor: string | null;
  readonly action: string;
  readonly tenant: string;
  readonly name?: string;
  readonly alias?: string;
  readonly artifactId?: string;
  readonly fromArtifactId?: string;
  readonly fromVersion?: number;
  readonly toVersion?: number;
  readonly key?: string;
  readonly value?: string;
}

export interface AuditRecord {
  readonly seq: number;
  readonly at: number;
  readonly actor: string | null;
  readonly action: string;
  readonly name: string | null;
  readonly alias: string | null;
  readonly artifact_id: string | null;
  readonly from_artifact_id: string | null;
  readonly from_version: number | null;
  readonly to_version: number | null;
  readonly key: string | null;
  readonly value: string | null;
  readonly tenant: string;
}

export async function recordAudit(
  queries: Queries,
  dialect: Database['dialect'],
  at: number,
  entry: AuditEntry,
): Promise<void> {
  await lockKey(queries, dialect, 'registry_audit');
  await queries.run(
    `INSERT INTO registry_audit
       (seq, at, actor, action, name, alias, artifact_id, from_artifact_id, from_version, to_version, key, value, tenant)
     SELECT COALESCE(MAX(seq), 0) + 1, CAST(? AS DOUBLE PRECISION), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT),
       CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS TEXT),
       CAST(? AS TEXT), CAST(? AS TEXT)
     FROM registry_audit`,
    [
      at,
      entry.actor,
      entry.action,
      entry.name ?? null,
      entry.alias ?? null,
      entry.artifactId ?? null,
      entry.fromArtifactId ?? null,
      entry.fromVersion ?? null,
      entry.toVersion ?? null,
      entry.key ?? null,
      entry.value ?? null,
      entry.tenant,
    ],
  );
}

function auditRecord(row: Row): AuditRecord {
  return {
    seq: numberOf(row, 'seq'),
    at: numberOf(row, 'at'),
    actor: textOrNull(row, 'actor'),
    action: text(row, 'action'),
    name: textOrNull(row, 'name'),
    alias: textOrNull(row, 'alias'),
    artifact_id: textOrNull(row, 'artifact_id'),
    from_artifact_id: textOrNull(row, 'from_artifact_id'),
    from_version: numberOrNull(row, 'from_version'),
    to_version: numberOrNull(row, 'to_version'),
    key: textOrNull(row, 'key'),
    value: textOrNull(row, 'value'),
    tenant: text(row, 'tenant'),
  };
}

export interface AuditQuery {
  readonly tenant: string;
  readonly name?: string | undefined;
  readonly artifactId?: string | undefined;
  readonly limit: number;
}

/** Newest first. */
export function readAudit(queries: Queries, { tenant, name, artifactId, limit }: AuditQuery): Promise<AuditRecord[]> {
  const conditions = ['tenant = ?'];
  const params: (string | number)[] = [tenant];
  if (name !== undefined) {
    conditions.push('name = ?');
    params.push(name);
  }
  if (artifactId !== undefined) {
    conditions.push('artifact_id = ?');
    params.push(artifactId);
  }
  const sql = `SELECT * FROM registry_audit WHERE ${conditions.join(' AND ')} ORDER BY seq DESC LIMIT ?`;
  return queries.all(sql, [...params, limit], auditRecord);
}

/** Oldest first, after a number that the reader has seen. */
export const readEvents = (queries: Queries, tenant: string, since: number, limit: number): Promise<AuditRecord[]> =>
  queries.all(
    'SELECT * FROM registry_audit WHERE tenant = ? AND seq > ? ORDER BY seq LIMIT ?',
    [tenant, since, limit],
    auditRecord,
  );
