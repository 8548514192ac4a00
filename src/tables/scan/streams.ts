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
  /** The same by their runs: thousands may be remembered that nobody came for. */
  const byRun = new Map<ScanRun, Set<Stream>>();
  const ttlMs = ttlSeconds * 1000;

  function sweep(): void {
    const now = performance.now();
    for (const [id, { stream, lastSeen }] of streams) {
      if (stream.run.state === 'running' || now - lastSeen < ttlMs) continue;
      streams.delete(id);
      const others = byRun.get(stream.run);
      others?.delete(stream);
      if (others?.size === 0) byRun.delete(stream.run);
      onExpired(stream, !byRun.has(stream.run));
    }
  }
  const timer = setInterval(sweep, Math.min(Math.max(ttlMs / 4, 50), 15_000)).unref();

  return {
    add(stream) {
      streams.set(stream.id, { stream, lastSeen: performance.now() });
      byRun.set(stream.run, (byRun.get(stream.run) ?? new Set()).add(stream));
    },
    find(id) {
      const known = streams.get(id);
      if (!known) return undefined;
      known.lastSeen = performance.now();
      return known.stream;
    },
    over: (run, { principal, mode }) =>
      [...(byRun.get(run) ?? [])].find((stream) => stream.principal === principal && stream.mode === mode),
    active: () => byRun.keys().reduce((count, run) => count + Number(run.state === 'running'), 0),
    close: () => clearInterval(timer),
  };
}
