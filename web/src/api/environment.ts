// The Python environment of a notebook: packages and the jobs that change them.
import type { EnvironmentJob } from '../../../src/protocol/index.ts';
import { request } from './client.ts';

export interface Dependency {
  readonly name: string;
  readonly version: string | null;
  readonly specifier: string | null;
}

export interface EnvironmentBody {
  readonly environment: Readonly<Record<string, unknown>>;
  readonly environment_job: EnvironmentJob | null;
  readonly environment_job_history: readonly EnvironmentJob[];
  readonly dependencies: readonly Dependency[];
  readonly resolved_dependencies: readonly Dependency[];
}

const at = (sessionId: string, place: string): string => `/v1/notebooks/${encodeURIComponent(sessionId)}${place}`;

export const readEnvironment = (sessionId: string): Promise<EnvironmentBody> =>
  request('GET', at(sessionId, '/environment'));

export const startJob = (
  sessionId: string,
  job: { readonly action: 'add' | 'remove'; readonly package: string } | { readonly action: 'sync' },
): Promise<EnvironmentBody> => request('POST', at(sessionId, '/environment/jobs'), job);

export const changePython = (sessionId: string, version: string): Promise<EnvironmentBody> =>
  request('PUT', at(sessionId, '/python-version'), { python_version: version });
