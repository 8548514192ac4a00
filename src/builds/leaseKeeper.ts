// Holds a build while somebody works on it: the lease is renewed well before it ends, and the work is told when it was lost.
import type { Lease } from './build.ts';
import type { BuildRows } from './rows.ts';

export const leaseSeconds = 15;

export interface LeaseKeeper {
  readonly lost: AbortSignal;
  /** The lease as it stands, no longer renewed. */
  settle(): Promise<Lease>;
}

export function keepLease(rows: Pick<BuildRows, 'renew'>, now: () => number, id: string, first: Lease): LeaseKeeper {
  let lease = first;
  let renewing: Promise<void> = Promise.resolve();
  const lost = new AbortController();

  async function renew(): Promise<void> {
    const expiresAt = now() + leaseSeconds;
    try {
      if (await rows.renew(id, lease, expiresAt)) lease = { ...lease, expiresAt };
      else lost.abort();
    } catch {
      // A database that does not answer is asked again; until the lease has ended, nobody else takes the build.
      if (now() > lease.expiresAt) lost.abort();
    }
  }

  const timer = setInterval(
    () => {
      renewing = renewing.then(renew);
    },
    (leaseSeconds * 1000) / 3,
  ).unref();

  return {
    lost: lost.signal,
    async settle() {
      clearInterval(timer);
      await renewing;
      return lease;
    },
  };
}
