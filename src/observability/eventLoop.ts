/**
 * How late the event loop was: what a timer that is due waits until it is its turn. Told of the last half to whole minute, so that a bad
 * moment is seen by everybody who asks within it and is over afterwards.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { EventLoopBody } from '../protocol/index.ts';

export interface EventLoop {
  snapshot(): EventLoopBody;
  /** Watches the loop of this thread; the answer stops it. */
  watch(): () => void;
}

const resolutionMs = 10;
const windowMs = 30_000;

type Delays = ReturnType<typeof monitorEventLoopDelay>;
type Window = Pick<Delays, 'count' | 'max' | 'percentile'>;

export function createEventLoop(): EventLoop {
  let windows: readonly Delays[] = [];

  function turn(): void {
    const fresh = monitorEventLoopDelay({ resolution: resolutionMs });
    fresh.enable();
    const [newest, oldest] = windows;
    newest?.disable(); // what it saw stays to be asked for
    oldest?.disable();
    windows = newest ? [fresh, newest] : [fresh];
  }

  return {
    snapshot() {
      const seen: readonly Window[] = windows.filter(({ count }) => count > 0);
      const worst = (read: (window: Window) => number): number =>
        Math.max(0, ...seen.map((one) => lateness(read(one))));
      return {
        delay_p50_ms: worst((window) => window.percentile(50)),
        delay_p99_ms: worst((window) => window.percentile(99)),
        delay_max_ms: worst((window) => window.max),
      };
    },
    watch() {
      turn();
      const timer = setInterval(turn, windowMs).unref();
      return () => {
        clearInterval(timer);
        for (const window of windows) window.disable();
        windows = [];
      };
    },
  };
}

/** From nanoseconds between two turns of the timer to the milliseconds that were not asked for. */
const lateness = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolutionMs);
