/** Counts of HTTP requests for debugging: how many now, at most, in all, and how many came over a kept connection. */
import type { ConnectionsBody } from '../protocol/index.ts';

export interface ConnectionCounts {
  /** Call the answer once when the request is over, however it ended; calling it again does nothing. */
  requestStarted(request: { readonly keepAlive: boolean }): () => void;
  snapshot(): ConnectionsBody;
}

const rateWindowSeconds = 60;

/** `now` is a monotonic clock in seconds. */
export function createConnectionCounts(now: () => number = () => performance.now() / 1000): ConnectionCounts {
  const startedAt = now();
  // One counter for each second of the window; `stamps` says which second a counter belongs to.
  const counts = new Array<number>(rateWindowSeconds).fill(0);
  const stamps = new Array<number>(rateWindowSeconds).fill(-1);
  let active = 0;
  let maxActive = 0;
  let kept = 0;
  let fresh = 0;

  function countInWindow(): void {
    const second = Math.floor(now() - startedAt);
    const slot = second % rateWindowSeconds;
    if (stamps[slot] !== second) {
      stamps[slot] = second;
      counts[slot] = 0;
    }
    counts[slot] = (counts[slot] ?? 0) + 1;
  }

  function ratePerSecond(uptime: number): number {
    const second = Math.floor(uptime);
    let inWindow = 0;
    for (const [slot, stamp] of stamps.entries()) {
      if (stamp >= 0 && second - stamp < rateWindowSeconds) inWindow += counts[slot] ?? 0;
    }
    return inWindow / Math.min(rateWindowSeconds, Math.max(1, uptime));
  }

  return {
    requestStarted({ keepAlive }) {
      countInWindow();
      active += 1;
      maxActive = Math.max(maxActive, active);
      if (keepAlive) kept += 1;
      else fresh += 1;
      let over = false;
      return () => {
        if (!over) active -= 1;
        over = true;
      };
    },
    snapshot() {
      const uptime = now() - startedAt;
      const total = kept + fresh;
      return {
        active_requests: active,
        total_requests: total,
        max_concurrent_requests: maxActive,
        request_rate_per_sec: ratePerSecond(uptime),
        uptime_seconds: uptime,
        keepalive_pct: total === 0 ? 0 : (100 * kept) / total,
        requests_with_keepalive: kept,
        requests_without_keepalive: fresh,
      };
    },
  };
}
