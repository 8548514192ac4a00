/**
 * The request rate limiter: token buckets for the whole server, for each client, and of each tenant for two costly endpoints.
 * Asked in that order; a token taken by an earlier bucket stays taken when a later one refuses, so a client that hammers a full
 * endpoint also spends its own allowance. Between tenants it does not: what all share is given only for requests that their
 * client may send, so that one who floods refuses nobody but itself. HTTP turns a refusal into its answer.
 */
import type { RateLimitsBody } from '../protocol/index.ts';
import { createRecentlyUsed } from '../recentlyUsed.ts';

export interface RateLimits {
  readonly enabled: boolean;
  readonly globalPerSecond: number;
  readonly globalBurst: number;
  readonly clientPerSecond: number;
  readonly clientBurst: number;
  readonly scanPerSecond: number;
  readonly warmPerSecond: number;
}

export const defaultRateLimits: RateLimits = {
  enabled: true,
  globalPerSecond: 1000,
  globalBurst: 100,
  clientPerSecond: 100,
  clientBurst: 20,
  scanPerSecond: 50,
  warmPerSecond: 10,
};

export type LimitType = 'global' | 'client' | 'endpoint';

export type RateDecision =
  /** `remaining` is the client's whole tokens; null when the limiter is off */
  | { readonly allowed: true; readonly remaining: number | null }
  | {
      readonly allowed: false;
      readonly type: LimitType;
      readonly retryAfterSeconds: number;
      readonly remaining: number;
    };

export interface RateLimiter {
  /** `tenant`: whose scans and warmings are counted together; all are where there are no tenants. */
  check(client: string, path: string, tenant?: string): RateDecision;
  stats(): RateLimitsBody;
}

interface Bucket {
  tokens: number;
  refilledAt: number;
}

const scanBurst = 10;
const warmBurst = 5;
const maxClients = 10_000;
const idleSeconds = 300;
const sweepEverySeconds = 60;
const longestRetrySeconds = 3600;

const unlimited: RateDecision = { allowed: true, remaining: null };

/** `now` is a monotonic clock in seconds. */
export function createRateLimiter(limits: RateLimits, now: () => number = () => performance.now() / 1000): RateLimiter {
  const startedAt = now();
  const global: Bucket = { tokens: limits.globalBurst, refilledAt: startedAt };
  const clients = createRecentlyUsed<Bucket>(maxClients);
  const scans = createRecentlyUsed<Bucket>(maxClients);
  const warmings = createRecentlyUsed<Bucket>(maxClients);
  let sweptAt = startedAt;
  let allowed = 0;
  const rejected = { global: 0, client: 0, endpoint: 0 };

  function bucketOf(buckets: typeof clients, key: string, burst: number): Bucket {
    const known = buckets.get(key);
    if (known) return known;
    const fresh = { tokens: burst, refilledAt: startedAt };
    buckets.set(key, fresh);
    return fresh;
  }

  function sweep(at: number): void {
    if (at - sweptAt < sweepEverySeconds) return;
    sweptAt = at;
    for (const buckets of [clients, scans, warmings])
      buckets.dropWhile((bucket) => at - bucket.refilledAt >= idleSeconds);
  }

  function refuse(type: LimitType, bucket: Bucket, perSecond: number, remaining: number): RateDecision {
    rejected[type] += 1;
    const wait = perSecond > 0 ? Math.ceil((1 - bucket.tokens) / perSecond) : longestRetrySeconds;
    const retryAfterSeconds = Math.min(longestRetrySeconds, Math.max(1, wait));
    return { allowed: false, type, retryAfterSeconds, remaining };
  }

  function check(client: string, path: string, tenant = ''): RateDecision {
    if (!limits.enabled) return unlimited;
    const at = now();
    sweep(at);

    if (!take(global, limits.globalBurst, limits.globalPerSecond, at)) {
      const known = clients.peek(client);
      return refuse('global', global, limits.globalPerSecond, Math.floor(known ? known.tokens : limits.clientBurst));
    }
    const own = bucketOf(clients, client, limits.clientBurst);
    if (!take(own, limits.clientBurst, limits.clientPerSecond, at)) {
      if (tenant !== '') global.tokens += 1;
      return refuse('client', own, limits.clientPerSecond, 0);
    }
    const remaining = Math.floor(own.tokens);
    if (path === '/v1/materialize') {
      const scan = bucketOf(scans, tenant, scanBurst);
      if (!take(scan, scanBurst, limits.scanPerSecond, at)) {
        return refuse('endpoint', scan, limits.scanPerSecond, remaining);
      }
    } else if (path.startsWith('/v1/cache/warm')) {
      const warm = bucketOf(warmings, tenant, warmBurst);
      if (!take(warm, warmBurst, limits.warmPerSecond, at)) {
        return refuse('endpoint', warm, limits.warmPerSecond, remaining);
      }
    }
    allowed += 1;
    return { allowed: true, remaining };
  }

  function stats(): RateLimitsBody {
    refill(global, limits.globalBurst, limits.globalPerSecond, now());
    return {
      total_requests: allowed + rejected.global + rejected.client + rejected.endpoint,
      allowed_requests: allowed,
      rejected_global: rejected.global,
      rejected_client: rejected.client,
      rejected_endpoint: rejected.endpoint,
      active_clients: clients.size,
      global_tokens_available: global.tokens,
      enabled: limits.enabled,
    };
  }

  return { check, stats };
}

function refill(bucket: Bucket, burst: number, perSecond: number, at: number): void {
  bucket.tokens = Math.min(burst, bucket.tokens + (at - bucket.refilledAt) * perSecond);
  bucket.refilledAt = at;
}

function take(bucket: Bucket, burst: number, perSecond: number, at: number): boolean {
  refill(bucket, burst, perSecond, at);
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}
