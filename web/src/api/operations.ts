// What the server says about itself: its log and its stored artifacts.
import type { CellLimitsBody, LogsBody, TimeoutsBody } from '../../../src/protocol/index.ts';
import { request } from './client.ts';

/** Credentials and catalogs by name, without values; what is sent back as it was shown stays. */
export interface CredentialSettings {
  readonly notebook_credentials: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly notebook_credential_paths: Readonly<Record<string, readonly string[]>>;
  readonly [setting: string]: unknown;
}

export const readCredentials = (signal: AbortSignal): Promise<CredentialSettings> =>
  request('GET', '/v1/admin/notebook-credentials', undefined, signal);

export const replaceCredentials = (settings: CredentialSettings): Promise<CredentialSettings> =>
  request('PUT', '/v1/admin/notebook-credentials', settings);

export const readTimeouts = (signal: AbortSignal): Promise<TimeoutsBody> =>
  request('GET', '/v1/config/timeouts', undefined, signal);

export const readCellLimits = (signal: AbortSignal): Promise<CellLimitsBody> =>
  request('GET', '/v1/config/cells', undefined, signal);

export const readLogs = (
  filter: { readonly level: string; readonly regex: string; readonly since: number },
  signal: AbortSignal,
): Promise<LogsBody> => {
  const search = new URLSearchParams({ limit: '500', since: String(filter.since) });
  if (filter.level !== '') search.set('level', filter.level);
  if (filter.regex !== '') search.set('regex', filter.regex);
  return request('GET', `/v1/logs?${search}`, undefined, signal);
};

export interface ArtifactRow {
  readonly artifact_id: string;
  readonly version: number;
  readonly state: string;
  readonly name?: string | null;
  readonly byte_size: number | null;
  readonly row_count: number | null;
  readonly created_at: number;
}

export interface ArtifactsBody {
  readonly artifacts: readonly ArtifactRow[];
  readonly total?: number;
}

export const readArtifacts = (
  filter: { readonly state: string; readonly prefix: string; readonly offset: number },
  signal: AbortSignal,
): Promise<ArtifactsBody> => {
  const search = new URLSearchParams({ limit: '100', offset: String(filter.offset) });
  if (filter.state !== '') search.set('state', filter.state);
  if (filter.prefix !== '') search.set('name_prefix', filter.prefix);
  return request('GET', `/v1/artifacts?${search}`, undefined, signal);
};
