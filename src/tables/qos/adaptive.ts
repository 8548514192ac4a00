// Places that move by themselves: fewer when scans hold theirs too long, more when they are quick and others wait. Only several
// readings in one direction move anything, so that one slow scan does not.
import type { AdaptiveMetrics, AdaptiveTier, WindowStats } from '../../protocol/index.ts';
import type { Settings } from '../../settings/index.ts';
import { type Qos, type Tier, tiers } from './qos.ts';

export interface Adaptive {
  /** Looks at the last minute and moves what has to move. */
  adjust(): void;
  metrics(): AdaptiveMetrics;
  close(): void;
}

const windowMs = 60_000;
const keptSamples = 10_000;
const waitThresholdMs = 100;
/** Below this share of the target there is room for more. */
const roomyShare = 0.8;

interface Samples {
  add(value: number): void;
  recent(): number[];
}

function createSamples(now: () => number): Samples {
  let samples: { at: number; value: number }[] = [];
  return {
    add(value) {
      samples.push({ at: now(), value });
      if (samples.length > keptSamples) samples = samples.slice(-keptSamples / 2);
    },
    recent() {
      const from = now() - windowMs;
      samples = samples.filter(({ at }) => at >= from);
      return samples.map(({ value }) => value);
    },
  };
}

export function createAdaptive(settings: Settings, qos: Qos, now: () => number = () => performance.now()): Adaptive {
  const limits: Record<Tier, { min: number; max: number }> = {
    interactive: { min: settings.adaptiveMinInteractive, max: settings.adaptiveMaxInteractive },
    bulk: { min: settings.adaptiveMinBulk, max: settings.adaptiveMaxBulk },
  };
  const fresh = () => ({
    held: createSamples(now),
    waited: createSamples(now),
    lastP95: 0,
    lastWaitP95: 0,
    up: 0,
    down: 0,
    increases: 0,
    decreases: 0,
  });
  const states = { interactive: fresh(), bulk: fresh() };
  qos.onRelease(({ tier, heldMs }) => states[tier].held.add(heldMs));
  qos.onWait(({ tier, waitedMs }) => states[tier].waited.add(waitedMs));

  function adjustTier(tier: Tier): void {
    const state = states[tier];
    const held = state.held.recent();
    if (held.length === 0) return;
    state.lastP95 = percentile(held, 0.95);
    state.lastWaitP95 = percentile(state.waited.recent(), 0.95);
    const crowded = state.lastP95 > settings.adaptiveTargetP95Ms;
    const roomy = state.lastP95 < settings.adaptiveTargetP95Ms * roomyShare && state.lastWaitP95 > waitThresholdMs;
    state.down = crowded ? state.down + 1 : 0;
    state.up = roomy ? state.up + 1 : 0;
    const slots = qos.slots(tier);
    if (state.down >= settings.adaptiveHysteresis) {
      state.down = 0;
      if (slots.capacity <= limits[tier].min) return;
      slots.capacity -= 1;
      state.decreases += 1;
    } else if (state.up >= settings.adaptiveHysteresis) {
      state.up = 0;
      if (slots.capacity >= limits[tier].max) return;
      slots.capacity += 1;
      state.increases += 1;
    }
  }

  const adjust = (): void => tiers.forEach(adjustTier);
  const timer = settings.adaptiveEnabled
    ? setInterval(adjust, settings.adaptiveIntervalSeconds * 1000).unref()
    : undefined;

  function tierMetrics(tier: Tier): AdaptiveTier {
    const state = states[tier];
    return {
      current_slots: qos.slots(tier).capacity,
      min_slots: limits[tier].min,
      max_slots: limits[tier].max,
      last_p95_ms: state.lastP95,
      last_queue_wait_p95_ms: state.lastWaitP95,
      consecutive_increase_signals: state.up,
      consecutive_decrease_signals: state.down,
      increase_events: state.increases,
      decrease_events: state.decreases,
      latency_stats: windowOf(state.held.recent()),
      queue_wait_stats: windowOf(state.waited.recent()),
    };
  }

  return {
    adjust,
    metrics: () => ({
      enabled: settings.adaptiveEnabled,
      target_p95_ms: settings.adaptiveTargetP95Ms,
      queue_wait_threshold_ms: waitThresholdMs,
      hysteresis_count: settings.adaptiveHysteresis,
      interactive: tierMetrics('interactive'),
      bulk: tierMetrics('bulk'),
    }),
    close: () => clearInterval(timer),
  };
}

function percentile(values: readonly number[], share: number): number {
  if (values.length === 0) return 0;
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

function windowOf(values: readonly number[]): WindowStats {
  const sum = values.reduce((total, value) => total + value, 0);
  return {
    count: values.length,
    window_size: keptSamples,
    p50_ms: percentile(values, 0.5),
    p95_ms: percentile(values, 0.95),
    p99_ms: percentile(values, 0.99),
    min_ms: percentile(values, 0),
    max_ms: percentile(values, 1),
    avg_ms: values.length === 0 ? 0 : sum / values.length,
  };
}
