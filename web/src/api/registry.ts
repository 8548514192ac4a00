// The registry: names with their aliases, changes that wait for approval, what was changed, where a version comes from.
import type { z } from 'zod';
import type { auditBody, lineageBody } from '../../../src/protocol/artifacts.ts';
import { request } from './client.ts';

export interface RegisteredName {
  readonly name: string;
  readonly tenant: string | null;
  readonly artifact_id: string;
  readonly version: number;
  readonly uri: string;
  /** Alias → the version that it points at. */
  readonly alias_uris: Readonly<Record<string, string>>;
  readonly tags: Readonly<Record<string, string>>;
  readonly readers: readonly object[];
}

export interface PendingChange {
  readonly name: string;
  readonly alias: string;
  readonly action: string;
  readonly artifact_id: string | null;
  readonly version: number | null;
  readonly requested_by: string | null;
  readonly requested_at: number;
}

export type AuditEntry = z.infer<typeof auditBody>;
export type Lineage = z.infer<typeof lineageBody>;

/** More of them are not read at once. */
export const auditEntries = 50;

export const readNames = (signal: AbortSignal): Promise<{ readonly names: readonly RegisteredName[] }> =>
  request('GET', '/v1/registry/summary', undefined, signal);

export const readPending = (signal: AbortSignal): Promise<{ readonly pending: readonly PendingChange[] }> =>
  request('GET', '/v1/registry/pending', undefined, signal);

export const readAudit = (signal: AbortSignal): Promise<{ readonly entries: readonly AuditEntry[] }> =>
  request('GET', `/v1/registry/audit?limit=${auditEntries}`, undefined, signal);

/** Every change of a name and its aliases that is asked for at once. */
const historyEntries = 1000;

export const readHistory = (name: string, signal: AbortSignal): Promise<{ readonly entries: readonly AuditEntry[] }> =>
  request(
    'GET',
    `/v1/registry/audit?${new URLSearchParams({ name, limit: String(historyEntries) })}`,
    undefined,
    signal,
  );

/** Whether something was changed after this entry of the audit. */
export const isChangedSince = async (seq: number, signal: AbortSignal): Promise<boolean> => {
  const { events }: { readonly events: readonly unknown[] } = await request(
    'GET',
    `/v1/events?since=${seq}&limit=1`,
    undefined,
    signal,
  );
  return events.length > 0;
};

export const setAlias = (
  name: string,
  alias: string,
  { artifact_id, version }: { readonly artifact_id: string; readonly version: number },
): Promise<{ readonly status: 'applied' | 'unchanged' | 'pending' }> =>
  request(
    'PUT',
    `/v1/names/${name.split('/').map(encodeURIComponent).join('/')}/aliases/${encodeURIComponent(alias)}`,
    { artifact_id, version },
  );

export const readLineage = (artifactId: string, version: number, signal: AbortSignal): Promise<Lineage> =>
  request(
    'GET',
    `/v1/artifacts/${encodeURIComponent(artifactId)}/v/${version}/lineage?max_depth=100`,
    undefined,
    signal,
  );

export const decide = (
  decision: 'approve' | 'reject',
  { name, alias }: Pick<PendingChange, 'name' | 'alias'>,
): Promise<unknown> => request('POST', `/v1/registry/pending/${decision}`, { name, alias });
