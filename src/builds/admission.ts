// Who may begin a build now. On a service small builds and big ones have places of their own, a tenant takes only so many of
// each, and writes only so many bytes a day. A personal server asks nobody to wait.
import type { Settings } from '../settings/index.ts';
import { createSlots, type Slots } from '../tables/index.ts';

type Tier = 'interactive' | 'bulk';

export interface BuildWork {
  /** Whose places and quota: `_default` for none. */
  readonly pool: string;
  readonly estimatedBytes: number;
  readonly inputs: number;
}

export interface BuildAdmission {
  /** Waits for a place; the answer gives it back. Throws `BuildRefused`. */
  admit(work: BuildWork): Promise<() => void>;
}

/** No place came free in time, or the day's bytes are written. */
export class BuildRefused extends Error {
  override readonly name = 'BuildRefused';
  readonly body: Readonly<Record<string, string | number>>;
  readonly retryAfterSeconds: number;

  constructor(error: string, message: string, retryAfter: number, facts: Readonly<Record<string, string | number>>) {
    super(message);
    this.retryAfterSeconds = Math.max(1, Math.ceil(retryAfter));
    this.body = { error, message, ...facts, retry_after_seconds: this.retryAfterSeconds };
  }
}

const freely: BuildAdmission = { admit: async () => () => {} };
const daySeconds = 86_400;

export interface AdmissionParts {
  readonly settings: Settings;
  /** What the builds of a tenant have written since the moment. */
  readonly bytesSince: (pool: string, since: number) => Promise<number>;
  readonly now: () => number;
}

export function createBuildAdmission({ settings, bytesSince, now }: AdmissionParts): BuildAdmission {
  if (settings.deploymentMode !== 'service' || !settings.transformsConfig.enabled) return freely;
  const tiers = {
    interactive: {
      slots: createSlots(settings.buildQosInteractiveSlots),
      perTenant: settings.buildQosPerTenantInteractive,
      waitSeconds: settings.buildQosInteractiveTimeout,
    },
    bulk: {
      slots: createSlots(settings.buildQosBulkSlots),
      perTenant: settings.buildQosPerTenantBulk,
      waitSeconds: settings.buildQosBulkTimeout,
    },
  };
  const tenants = new Map<string, Slots>();

  async function checkQuota(pool: string): Promise<void> {
    const limit = settings.buildQosBytesPerDay;
    if (limit === null) return;
    const day = Math.floor(now() / daySeconds) * daySeconds;
    const used = await bytesSince(pool, day);
    if (used < limit) return;
    const reset = day + daySeconds - now();
    throw new BuildRefused(
      'quota_exceeded',
      `The builds of tenant '${pool}' have written ${used} bytes today, of ${limit} that they may; wait for the next day (UTC).`,
      reset,
      { tenant_id: pool, used_bytes: used, limit_bytes: limit, reset_in_seconds: reset },
    );
  }

  async function takeOfTenant(pool: string, tier: Tier): Promise<() => void> {
    const key = `${tier}:${pool}`;
    const { perTenant: limit } = tiers[tier];
    const slots = tenants.get(key) ?? createSlots(limit);
    tenants.set(key, slots);
    const release = await slots.take(settings.buildQosPerTenantTimeout * 1000);
    if (!release)
      throw new BuildRefused(
        'tenant_at_capacity',
        `Tenant '${pool}' has as many ${tier} builds as it may have; wait for one to end.`,
        settings.buildQosPerTenantTimeout,
        { tenant_id: pool, limit, active: slots.active },
      );
    return () => {
      release();
      if (slots.active + slots.waiting === 0) tenants.delete(key);
    };
  }

  async function takeOfTier(tier: Tier): Promise<() => void> {
    const { slots, waitSeconds } = tiers[tier];
    const began = performance.now();
    const release = await slots.take(waitSeconds * 1000);
    if (release) return release;
    throw new BuildRefused(
      'too_many_requests',
      `All places for ${tier} builds are taken; try again shortly.`,
      waitSeconds / 2,
      {
        tier,
        slots: slots.capacity,
        queue_timeout_seconds: waitSeconds,
        queue_wait_ms: performance.now() - began,
      },
    );
  }

  return {
    async admit({ pool, estimatedBytes, inputs }) {
      await checkQuota(pool);
      const isBulk =
        estimatedBytes > settings.buildQosBulkBytesThreshold || inputs > settings.buildQosBulkInputsThreshold;
      const tier = isBulk ? 'bulk' : 'interactive';
      const leaveTenant = await takeOfTenant(pool, tier);
      try {
        const leaveTier = await takeOfTier(tier);
        return () => {
          leaveTier();
          leaveTenant();
        };
      } catch (error) {
        leaveTenant();
        throw error;
      }
    },
  };
}
