// Who may scan now. Small scans and big ones have places of their own, so that a dashboard does not wait behind an export; one
// client takes only so many of them; each tenant has its own pair.
import type { QosMetrics } from '../../protocol/index.ts';
import type { Settings } from '../../settings/index.ts';
import { metricsOf, type Tier, type TierState } from './qosMetrics.ts';
import { createSlots, type Slots } from './slots.ts';

export { type Tier, tiers } from './qosMetrics.ts';

export interface Admission {
  readonly tenant: string;
  readonly client: string;
  readonly tier: Tier;
}

/** No place came free in time. */
export class ScanRefused extends Error {
  override readonly name = 'ScanRefused';
  readonly error: 'per_client_limit' | 'too_many_requests';
  readonly tier: Tier;
  readonly retryAfterSeconds: number;

  constructor(error: ScanRefused['error'], tier: Tier, retryAfterSeconds: number) {
    super(
      error === 'per_client_limit'
        ? `This client has as many ${tier} scans running as it may have; wait for one to end.`
        : `All places for ${tier} scans are taken; try again shortly.`,
    );
    this.error = error;
    this.tier = tier;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export interface Qos {
  tierOf(scan: { readonly estimatedBytes: number; readonly columns: readonly string[] }): Tier;
  /** Waits for a place; the answer gives it back. */
  admit(admission: Admission): Promise<() => void>;
  /** The same for work that nobody waits for: it stands in line as long as it takes. */
  queue(admission: Omit<Admission, 'client'>): Promise<() => void>;
  metrics(): QosMetrics;
  saturatedSeconds(tier: Tier): number;
  readonly slots: (tier: Tier) => Slots;
  /** How long places were held and waited for, for whoever adapts their number. */
  onRelease(listen: (sample: { tier: Tier; heldMs: number }) => void): void;
  onWait(listen: (sample: { tier: Tier; waitedMs: number }) => void): void;
}

const clientWaitMs = 1000;
const defaultTenant = '_default';

export function createQos(settings: Settings, now: () => number = () => performance.now()): Qos {
  const initial: Record<Tier, number> = { interactive: settings.interactiveSlots, bulk: settings.bulkSlots };
  const perClient: Record<Tier, number> = { interactive: settings.perClientInteractive, bulk: settings.perClientBulk };
  const queueMs: Record<Tier, number> = {
    interactive: settings.interactiveQueueTimeout * 1000,
    bulk: settings.bulkQueueTimeout * 1000,
  };
  const tenants = new Map<string, Record<Tier, TierState>>();
  const clients = new Map<string, Slots>();
  const released: ((sample: { tier: Tier; heldMs: number }) => void)[] = [];
  const waited: ((sample: { tier: Tier; waitedMs: number }) => void)[] = [];
  let clientRejected = 0;

  const fresh = (tier: Tier): TierState => ({
    slots: createSlots(initial[tier]),
    rejected: 0,
    waits: 0,
    waitedMs: 0,
    saturatedSince: undefined,
  });

  function ofTenant(tenant: string): Record<Tier, TierState> {
    const known = tenants.get(tenant);
    if (known) return known;
    const made = { interactive: fresh('interactive'), bulk: fresh('bulk') };
    tenants.set(tenant, made);
    return made;
  }
  ofTenant(defaultTenant);

  async function takeClient({ client, tier }: Admission): Promise<() => void> {
    const limit = perClient[tier];
    if (limit === 0) return () => {};
    const key = `${tier}:${client}`;
    const slots = clients.get(key) ?? createSlots(limit);
    clients.set(key, slots);
    const release = await slots.take(clientWaitMs);
    if (!release) {
      clientRejected += 1;
      throw new ScanRefused('per_client_limit', tier, 1);
    }
    return () => {
      release();
      if (slots.active + slots.waiting === 0) clients.delete(key);
    };
  }

  function noteSaturation(state: TierState): void {
    const full = state.slots.active >= state.slots.capacity;
    state.saturatedSince = full ? (state.saturatedSince ?? now()) : undefined;
  }

  async function takeTier({ tenant, tier }: Omit<Admission, 'client'>, waitMs: number): Promise<() => void> {
    const state = ofTenant(tenant)[tier];
    const began = now();
    const release = await state.slots.take(waitMs);
    const waitedMs = now() - began;
    if (!release) {
      state.rejected += 1;
      throw new ScanRefused('too_many_requests', tier, Math.max(1, Math.floor(waitMs / 2000)));
    }
    state.waits += 1;
    state.waitedMs += waitedMs;
    for (const listen of waited) listen({ tier, waitedMs });
    noteSaturation(state);
    const granted = now();
    return () => {
      release();
      noteSaturation(state);
      for (const listen of released) listen({ tier, heldMs: now() - granted });
    };
  }

  return {
    tierOf: ({ estimatedBytes, columns }) =>
      estimatedBytes <= settings.interactiveMaxBytes &&
      columns.length > 0 &&
      columns.length <= settings.interactiveMaxColumns
        ? 'interactive'
        : 'bulk',
    async admit(admission) {
      const releaseClient = await takeClient(admission);
      try {
        const releaseTier = await takeTier(admission, queueMs[admission.tier]);
        return () => {
          releaseTier();
          releaseClient();
        };
      } catch (error) {
        releaseClient();
        throw error;
      }
    },
    queue: (admission) => takeTier(admission, Number.POSITIVE_INFINITY),
    slots: (tier) => ofTenant(defaultTenant)[tier].slots,
    saturatedSeconds(tier) {
      const since = ofTenant(defaultTenant)[tier].saturatedSince;
      return since === undefined ? 0 : (now() - since) / 1000;
    },
    onRelease: (listen) => released.push(listen),
    onWait: (listen) => waited.push(listen),
    metrics: () =>
      metricsOf({
        tenants,
        usual: ofTenant(defaultTenant),
        queueMs,
        perClient,
        clientRejected,
        clients: clients.size,
      }),
  };
}
