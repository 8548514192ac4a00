// What the load does to the server's process, once a second: its memory, how late its loop is, how long it waited for a core.
import fs from 'node:fs';
import { metricsBody } from '../../src/protocol/index.ts';
import type { TestServer } from '../kit/server.ts';

interface Reading {
  readonly seconds: number;
  readonly mebibytes: number;
}

export interface Measured {
  readonly memoryMebibytes: number;
  /** How much the memory grows in a minute, by the middle of all slopes between two readings. */
  readonly memoryPerMinute: number;
  /** The same of the last third alone: what has a bound is full by then. */
  readonly memoryPerMinuteLate: number;
  /** The same of what is alive in JavaScript after a collection. */
  readonly alivePerMinute: number;
  readonly aliveMebibytes: number;
  readonly loopP50Ms: number;
  /** The worst that the server told of itself in any half minute. */
  readonly loopP99Ms: number;
  readonly loopMaxMs: number;
  /** What the loop computed in one turn, in processor time: the worst of any ten seconds. */
  readonly workP99Ms: number;
  readonly workMaxMs: number;
  /** The share of the time in which the server could have run but no core was free. */
  readonly waitedShare: number;
  readonly busyShare: number;
}

export interface Measuring {
  /** What came before does not count. */
  begin(): void;
  end(): Promise<Measured>;
}

export function measure(server: TestServer, loopFile: string): Measuring {
  const { pid } = server.process;
  let worksBefore = 0;
  const memory: Reading[] = [];
  const loops: { p50: number; p99: number; max: number }[] = [];
  let begun = schedule(pid);
  let since = performance.now();
  const look = async (): Promise<void> => {
    const seconds = performance.now() / 1000;
    memory.push({ seconds, mebibytes: resident(pid) });
    const { event_loop: loop } = await server.rest.read(metricsBody, '/metrics');
    loops.push({ p50: loop.delay_p50_ms, p99: loop.delay_p99_ms, max: loop.delay_max_ms });
  };
  let looking: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking.then(look);
    looking.catch(() => {}); // whoever ends the measuring is told
  }, 1000);
  return {
    begin() {
      memory.length = 0;
      loops.length = 0;
      worksBefore = readWorks(loopFile).length;
      begun = schedule(pid);
      since = performance.now();
    },
    async end() {
      clearInterval(timer);
      await looking;
      await look();
      const nanoseconds = (performance.now() - since) * 1e6;
      const ended = schedule(pid);
      const works = readWorks(loopFile).slice(worksBefore);
      const worst = (read: (loop: (typeof loops)[number]) => number): number => Math.max(...loops.map(read));
      return {
        memoryMebibytes: memory.at(-1)?.mebibytes ?? 0,
        memoryPerMinute: slopeOf(memory) * 60,
        memoryPerMinuteLate: slopeOf(memory.slice(Math.floor((memory.length * 2) / 3))) * 60,
        alivePerMinute: slopeOf(works) * 60,
        aliveMebibytes: works.at(-1)?.mebibytes ?? 0,
        loopP50Ms: worst(({ p50 }) => p50),
        loopP99Ms: worst(({ p99 }) => p99),
        loopMaxMs: worst(({ max }) => max),
        workP99Ms: Math.max(0, ...works.map(({ p99 }) => p99)),
        workMaxMs: Math.max(0, ...works.map(({ max }) => max)),
        waitedShare: (ended.waited - begun.waited) / nanoseconds,
        busyShare: (ended.ran - begun.ran) / nanoseconds,
      };
    },
  };
}

interface Work extends Reading {
  readonly p99: number;
  readonly max: number;
}

/** What `loopWork.ts` has written so far. */
export const readWorks = (file: string): Work[] =>
  fs.existsSync(file)
    ? fs
        .readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
    : [];

export const resident = (pid: number | undefined): number =>
  Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** Of the thread that the event loop is in: nanoseconds on a core, and in line for one. */
function schedule(pid: number | undefined): { ran: number; waited: number } {
  const [ran = 0, waited = 0] = fs.readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ').map(Number);
  return { ran, waited };
}

/** The median of the slopes of all pairs (Theil and Sen): single collections of garbage do not tilt it. */
export function slopeOf(readings: readonly Reading[]): number {
  const slopes = readings.flatMap((one, at) =>
    readings.slice(at + 1).map((other) => (other.mebibytes - one.mebibytes) / (other.seconds - one.seconds)),
  );
  slopes.sort((one, other) => one - other);
  return slopes[Math.floor(slopes.length / 2)] ?? 0;
}
