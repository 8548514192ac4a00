// What was ordered, by its id: who may fetch it or ask after it, and for how long it is remembered. Each stands for a run; several may
// share one.
import type { ScanRun } from './run.ts';

export interface Stream {
  readonly id: string;
  readonly run: ScanRun;
  /** A stream is fetched, a build is asked after. */
  readonly mode: 'stream' | 'artifact';
  /** Whoever asked for it; only they may fetch it. */
  readonly principal: string | null;
  readonly tenant: string;
}

export interface Streams {
  add(stream: Stream): void;
  /** Counts as a sign of life. */
  find(id: string): Stream | undefined;
  /** A live stream of this asker over the run. */
  over(run: ScanRun, asker: Pick<Stream, 'principal' | 'mode'>): Stream | undefined;
  /** Runs that are reading now. */
  active(): number;
  close(): void;
}

export function createStreams(ttlSeconds: number, onExpired: (stream: Stream, isLast: boolean) => void): Streams {
  const streams = new Map<string, { readonly stream: Stream; lastSeen: number }>();
  const ttlMs = ttlSeconds * 1000;

  function sweep(): void {
    const now = performance.now();
    for (const [id, { stream, lastSeen }] of streams) {
      if (stream.run.state === 'running' || now - lastSeen < ttlMs) continue;
      streams.delete(id);
      onExpired(stream, ![...streams.values()].some((other) => other.stream.run === stream.run));
    }
  }
  const timer = setInterval(sweep, Math.min(Math.max(ttlMs / 4, 50), 15_000)).unref();

  return {
    add(stream) {
      streams.set(stream.id, { stream, lastSeen: performance.now() });
    },
    find(id) {
      const known = streams.get(id);
      if (!known) return undefined;
      known.lastSeen = performance.now();
      return known.stream;
    },
    over: (run, { principal, mode }) =>
      [...streams.values()].find(
        ({ stream }) => stream.run === run && stream.principal === principal && stream.mode === mode,
      )?.stream,
    active: () =>
      new Set([...streams.values()].flatMap(({ stream: { run } }) => (run.state === 'running' ? [run] : []))).size,
    close: () => clearInterval(timer),
  };
}
