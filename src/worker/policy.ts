// Whom a worker asks for what a manifest names.
import type { NetworkPolicy } from '../fetch/index.ts';
import type { WorkerSettings } from '../settings/index.ts';

export const policyOf = ({
  workerAllowLocalHosts,
  workerAllowedHosts,
}: Pick<WorkerSettings, 'workerAllowLocalHosts' | 'workerAllowedHosts'>): NetworkPolicy => ({
  publicOnly: !workerAllowLocalHosts,
  allowedHosts: workerAllowedHosts,
});
