// The Python environment of a notebook: packages and the jobs that change them.
import type { z } from 'zod';
import type {
  acceptedJobBody,
  environmentBody,
  IndexedPackageBody,
  rPackagesBody,
} from '../../../src/protocol/index.ts';
import { address, refusalOf, request } from './client.ts';

export type EnvironmentBody = z.infer<typeof environmentBody>;
export type Dependency = EnvironmentBody['dependencies'][number];
export type RPackagesBody = z.infer<typeof rPackagesBody>;
export type { IndexedPackageBody };

/** A list of packages in the text of a file; what cannot be read of it is left out and named. */
export type PackageList = { readonly requirements: string } | { readonly environment_yaml: string };

export type JobWish =
  | { readonly action: 'add'; readonly packages: readonly string[] }
  | { readonly action: 'remove' | 'r_add'; readonly package: string }
  | { readonly action: 'sync' | 'r_init' }
  | ({ readonly action: 'import'; readonly take_readable: true } & PackageList);

export interface ImportPreview {
  readonly additions: readonly Dependency[];
  readonly removals: readonly Dependency[];
  readonly warnings: readonly string[];
}

const at = (sessionId: string, place: string): string =>
  `/v1/notebooks/${encodeURIComponent(sessionId)}/environment${place}`;

export const readEnvironment = (sessionId: string): Promise<EnvironmentBody> => request('GET', at(sessionId, ''));

export const readRPackages = (sessionId: string, signal: AbortSignal): Promise<RPackagesBody> =>
  request('GET', `/v1/notebooks/${encodeURIComponent(sessionId)}/r-packages`, undefined, signal);

/** While something runs it waits for its turn, unless it should rather be refused then. */
export const startJob = (sessionId: string, job: JobWish, wait = true): Promise<z.infer<typeof acceptedJobBody>> =>
  request('POST', at(sessionId, '/jobs'), { ...job, wait });

export const cancelJob = (sessionId: string): Promise<unknown> => request('DELETE', at(sessionId, '/jobs/current'));

export const takeBackJob = (sessionId: string, jobId: string): Promise<unknown> =>
  request('DELETE', at(sessionId, `/jobs/queue/${encodeURIComponent(jobId)}`));

export const findInIndex = (sessionId: string, name: string): Promise<IndexedPackageBody> =>
  request('POST', at(sessionId, '/index'), { name });

export const previewImport = (sessionId: string, list: PackageList): Promise<ImportPreview> =>
  request('POST', at(sessionId, `/${'requirements' in list ? 'requirements.txt' : 'environment.yaml'}/preview`), {
    ...list,
    take_readable: true,
  });

/** The declared packages, one a line. */
export async function readRequirements(sessionId: string): Promise<string> {
  const answer = await fetch(address(at(sessionId, '/requirements.txt')));
  if (!answer.ok) throw await refusalOf(answer);
  return answer.text();
}

export const changePython = (
  sessionId: string,
  version: string,
): Promise<Pick<z.infer<typeof acceptedJobBody>, 'environment_job'>> =>
  request('PUT', `/v1/notebooks/${encodeURIComponent(sessionId)}/python-version`, { python_version: version });
