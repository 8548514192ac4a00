// How places for scans are used: of both tiers together, and of each tenant.
import type { QosMetrics } from '../../protocol/index.ts';
import type { Slots } from './slots.ts';

export type Tier = 'interactive' | 'bulk';
export const tiers: readonly Tier[] = ['interactive', 'bulk'];

export interface TierState {
  readonly slots: Slots;
  rejected: number;
  waits: number;
  waitedMs: number;
  saturatedSince: number | undefined;
}

export interface QosUse {
  readonly tenants: ReadonlyMap<string, Readonly<Record<Tier, TierState>>>;
  /** Of whoever has no tenant; the others have as many places. */
  readonly usual: Readonly<Record<Tier, TierState>>;
  readonly queueMs: Readonly<Record<Tier, number>>;
  readonly perClient: Readonly<Record<Tier, number>>;
  readonly clientRejected: number;
  readonly clients: number;
}

export function metricsOf(use: QosUse): QosMetrics {
  const [interactive, bulk] = [tierMetrics(use, 'interactive'), tierMetrics(use, 'bulk')];
  return {
    interactive_slots: interactive.slots,
    interactive_active: interactive.active,
    interactive_available: interactive.available,
    interactive_rejected: interactive.rejected,
    interactive_queue_timeout_seconds: interactive.queue_timeout_seconds,
    interactive_queue_wait_avg_ms: interactive.queue_wait_avg_ms,
    interactive_queue_wait_total_ms: interactive.queue_wait_total_ms,
    interactive_queue_wait_count: interactive.queue_wait_count,
    bulk_slots: bulk.slots,
    bulk_active: bulk.active,
    bulk_available: bulk.available,
    bulk_rejected: bulk.rejected,
    bulk_queue_timeout_seconds: bulk.queue_timeout_seconds,
    bulk_queue_wait_avg_ms: bulk.queue_wait_avg_ms,
    bulk_queue_wait_total_ms: bulk.queue_wait_total_ms,
    bulk_queue_wait_count: bulk.queue_wait_count,
    per_client_interactive: use.perClient.interactive,
    per_client_bulk: use.perClient.bulk,
    client_rejected: use.clientRejected,
    tracked_clients: use.clients,
    per_tenant: Object.fromEntries([...use.tenants].map(([tenant, places]) => [tenant, tenantMetrics(places)])),
  };
}

function tierMetrics({ tenants, usual, queueMs }: QosUse, tier: Tier) {
  const sum = (read: (state: TierState) => number): number =>
    [...tenants.values()].reduce((total, places) => total + read(places[tier]), 0);
  const { slots } = usual[tier];
  const [waits, waitedMs] = [sum((state) => state.waits), sum((state) => state.waitedMs)];
  return {
    slots: slots.capacity,
    active: sum((state) => state.slots.active),
    available: Math.max(0, slots.capacity - slots.active),
    rejected: sum((state) => state.rejected),
    queue_timeout_seconds: queueMs[tier] / 1000,
    queue_wait_avg_ms: waits === 0 ? 0 : waitedMs / waits,
    queue_wait_total_ms: waitedMs,
    queue_wait_count: waits,
  };
}

const tenantMetrics = ({ interactive, bulk }: Readonly<Record<Tier, TierState>>) => ({
  interactive_capacity: interactive.slots.capacity,
  interactive_in_use: interactive.slots.active,
  bulk_capacity: bulk.slots.capacity,
  bulk_in_use: bulk.slots.active,
});
