// How the server is. It says so with a status of failure too, so the status is not asked.
import type { DependenciesBody, ReadinessBody } from '../../../src/protocol/index.ts';
import { address } from './client.ts';

export interface Health {
  readonly readiness: ReadinessBody;
  readonly dependencies: DependenciesBody;
}

export async function readHealth(signal: AbortSignal): Promise<Health> {
  const [readiness, dependencies] = await Promise.all(
    ['/health/ready', '/health/dependencies'].map(async (place) =>
      (await fetch(address(place), { signal, cache: 'no-store' })).json(),
    ),
  );
  return { readiness, dependencies };
}
