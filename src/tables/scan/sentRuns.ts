// Runs of which every row was sent and whose results are on their way to the store, by the tenant whose they become: others need not
// wait for them.
import type { ScanRun } from './run.ts';

export function createSentRuns() {
  const sent = new Map<string, Set<ScanRun>>();
  return {
    add(tenant: string, run: ScanRun): void {
      sent.set(tenant, (sent.get(tenant) ?? new Set()).add(run));
    },
    remove(tenant: string, run: ScanRun): void {
      const ofTenant = sent.get(tenant);
      if (ofTenant?.delete(run) && ofTenant.size === 0) sent.delete(tenant);
    },
    /** Resolves when the results of all of the tenant's are stored. */
    async settled(tenant: string): Promise<void> {
      const settling = [...(sent.get(tenant) ?? [])].flatMap((run) => run.settling ?? []);
      if (settling.length > 0) await Promise.all(settling);
    },
  };
}
