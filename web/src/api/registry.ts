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
  /** Alias → version. */
  readonly aliases: Readonly<Record<string, number>>;
  readonly tags: Readonly<Record<string, string>>;
  readonly readers: readonly object[];
}

export interface PendingChange {
  readonly name: string;
  readonly alias: string;
  readonly action: string;
  readonly version: number | null;
  readonly requested_by: string | null;
  readonly requested_at: number;
}

export type AuditEntry = z.infer<typeof auditBody>;
export type Lineage = z.infer<typeof lineageBody>;

export const readNames = (signal: AbortSignal): Promise<{ readonly names: readonly RegisteredName[] }> =>
  request('GET', '/v1/registry/summary', undefined, signal);

export const readPending = (signal: AbortSignal): Promise<{ readonly pending: readonly PendingChange[] }> =>
  request('GET', '/v1/registry/pending', undefined, signal);

export const readAudit = (signal: AbortSignal): Promise<{ readonly entries: readonly AuditEntry[] }> =>
  request('GET', '/v1/registry/audit?limit=50', undefined, signal);

export const readLineage = (artifactId: string, version: number, signal: AbortSignal): Promise<Lineage> =>
  request('GET', `/v1/artifacts/${encodeURIComponent(artifactId)}/v/${version}/lineage`, undefined, signal);

export const decide = (
  decision: 'approve' | 'reject',
  { name, alias }: Pick<PendingChange, 'name' | 'alias'>,
): Promise<unknown> => request('POST', `/v1/registry/pending/${decision}`, { name, alias });
