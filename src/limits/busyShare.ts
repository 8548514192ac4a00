// How busy the event loop of this process is, by what it was in the last moments.
import { performance } from 'node:perf_hooks';

const momentMilliseconds = 100;

export function createBusyShare(): () => number {
  let before = performance.eventLoopUtilization();
  let lookedAt = performance.now();
  let share = 0;
  return () => {
    if (performance.now() - lookedAt < momentMilliseconds) return share;
    const now = performance.eventLoopUtilization();
    share = performance.eventLoopUtilization(now, before).utilization;
    before = now;
    lookedAt = performance.now();
    return share;
  };
}
