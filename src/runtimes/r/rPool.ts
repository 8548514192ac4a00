// R processes that wait for the cells of one notebook, each for one of them. A process may wait with the packages attached
// that a cell begins with; then it stands where that cell stands, and takes only cells that ask for exactly that.

import type { CellLimits } from '../cellLimits.ts';
import type { CellProcess } from '../cellProcess.ts';
import type { CellUser } from '../cellUser.ts';
import type { CellPolicy } from '../environment.ts';
import { startR } from './rProcess.ts';
import { type RStart, startOf } from './rStart.ts';

/** What a cell does before it reads its inputs. */
export interface Ahead {
  readonly packages: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workDir: string;
}

export interface TakenR {
  readonly process: CellProcess;
  /** It was started before anybody asked for it. */
  readonly hasWaited: boolean;
}

export interface RPool {
  /** Has processes wait, where there is R. */
  wake(): void;
  /** Resolves when those that wait do so ready, or have ended. */
  settled(): Promise<void>;
  /** A process that takes one job. */
  take(ahead: Ahead): Promise<TakenR>;
  /** The same, started for this job. */
  startAfresh(): Promise<TakenR>;
  /** Ends those that wait. None waits until `wake` is allowed again: the library is being changed. */
  rest(): Promise<void>;
  resume(): void;
  close(): Promise<void>;
  /** What each process may take. */
  readonly limits: CellLimits | undefined;
  /** Of those that wait. */
  readonly pids: readonly number[];
}

export interface RPoolOptions {
  /** Undefined when this machine has no R. */
  readonly rscript: () => string | undefined;
  /** How many wait; 0: each is started when it is needed. */
  readonly size: number;
  /** The notebook's folder. */
  readonly directory: string;
  readonly policy: CellPolicy;
  /** Undefined: the server's own. */
  readonly user?: (() => Promise<CellUser | undefined>) | undefined;
  /** Processes that nobody called for this long are ended. */
  readonly idleSeconds?: number | undefined;
}

interface Waiting {
  /** What it was prepared for; empty: for anything. */
  readonly kind: string;
  readonly started: Promise<{ readonly process: CellProcess; readonly start: RStart }>;
  /** Once it can take an order at once, or has ended. */
  readonly settled: Promise<void>;
  pid?: number | undefined;
  /** A cell has it, or nobody wants it: what becomes of it says nothing of its kind. */
  isGivenUp?: boolean;
}

/** What a process is prepared for; without `ahead`: for anything. */
interface Prepared {
  readonly kind: string;
  readonly ahead: Ahead | null;
}

const defaultIdleSeconds = 600;
/** Which of the last jobs say what the next will be. */
const remembered = 8;
const shortRunMs = 100;

export function createRPool({
  rscript,
  size,
  directory,
  policy,
  user = async () => undefined,
  idleSeconds = defaultIdleSeconds,
}: RPoolOptions): RPool {
  const waiting = new Set<Waiting>();
  const ending = new Set<Promise<unknown>>();
  /** Kinds that ended while they were prepared: cells do it themselves, and say what is wrong. */
  const unfit = new Set<string>();
  let recent: Prepared[] = [];
  let isResting = false;
  let idle: NodeJS.Timeout | undefined;

  async function start(ahead: Ahead | null, waits: boolean): Promise<{ process: CellProcess; start: RStart }> {
    const program = rscript();
    if (program === undefined) throw new Error('R is not installed on this machine.');
    const owner = await user();
    const begun = await startOf(directory, { policy, user: owner });
    const process = await startR({ rscript: program, program: 'harness.R', cwd: directory, policy, user: owner });
    process.say(JSON.stringify({ waits, ahead: ahead && { ...ahead, work_dir: ahead.workDir } }));
    return { process, start: begun };
  }

  function park(kind: string, ahead: Ahead | null): void {
    const started = start(ahead, true);
    const one: Waiting = { kind, started, settled: started.then(settle, () => {}) };
    waiting.add(one);
    async function settle({ process, start: begun }: { process: CellProcess; start: RStart }): Promise<void> {
      one.pid = process.pid;
      void process.ended.then(leave, leave);
      const libraries = await process.ready;
      begun.looked(libraries);
      if (libraries !== '' || kind === '' || one.isGivenUp) return;
      unfit.add(kind);
      fill();
    }
    // Whoever killed it, or whatever its profile did: another is started when somebody asks for one.
    const leave = (): void => void waiting.delete(one);
    started.catch(leave);
  }

  function giveUp(one: Waiting): boolean {
    one.isGivenUp = true;
    return waiting.delete(one);
  }

  function end(one: Waiting): void {
    giveUp(one);
    const over = one.started.then(({ process }) => {
      process.kill();
      return process.ended;
    });
    const ended = over.catch(() => {}).finally(() => ending.delete(ended));
    ending.add(ended);
  }

  function fill(): void {
    if (isResting || size === 0 || rscript() === undefined) return;
    const spare = new Set(waiting);
    const missing = wantedKinds(recent, unfit, size).filter(({ kind }) => {
      const found = [...spare].find((one) => one.kind === kind);
      return found === undefined || !spare.delete(found);
    });
    for (const one of spare) end(one);
    for (const { kind, ahead } of missing) park(kind, ahead);
    clearTimeout(idle);
    idle = setTimeout(endAll, idleSeconds * 1000).unref();
  }

  function endAll(): void {
    clearTimeout(idle);
    for (const one of [...waiting]) end(one);
  }

  /** One that began as one that is started now would; others are of no use any more. */
  async function choose(kind: string): Promise<CellProcess | undefined> {
    const fits = [...waiting].filter((one) => one.kind === kind || one.kind === '');
    const inOrder = fits.sort((a, b) => Number(b.kind === kind) - Number(a.kind === kind));
    for (const one of inOrder) {
      if (!giveUp(one)) continue;
      const found = await one.started.catch(() => undefined);
      if (found && (await found.start.isStillTrue())) return found.process;
      end(one);
    }
    return undefined;
  }

  /** Starting R takes a core for a while: a cell that is over in a moment has it to itself. */
  function refillAfter({ ended }: CellProcess): void {
    const { promise: isLong, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, shortRunMs);
    void Promise.race([ended, isLong])
      .catch(() => {})
      .finally(() => {
        clearTimeout(timer);
        fill();
      });
  }

  async function startAfresh(): Promise<TakenR> {
    return { process: (await start(null, false)).process, hasWaited: false };
  }

  return {
    limits: policy.limits,
    get pids() {
      return [...waiting].flatMap(({ pid }) => pid ?? []);
    },
    wake: fill,
    async settled() {
      const known = new Set<Waiting>();
      for (let fresh = [...waiting]; fresh.length > 0; fresh = [...waiting.difference(known)]) {
        for (const one of fresh) known.add(one);
        await Promise.all(fresh.map((one) => one.settled));
      }
    },
    async take(ahead) {
      const kind = ahead.packages.length === 0 ? '' : JSON.stringify(ahead);
      recent = [...recent, { kind, ahead }].slice(-remembered);
      const found = await choose(kind);
      const taken = found ? { process: found, hasWaited: true } : await startAfresh();
      refillAfter(taken.process);
      return taken;
    },
    startAfresh,
    async rest() {
      isResting = true;
      unfit.clear();
      endAll();
      await Promise.all(ending);
    },
    resume() {
      isResting = false;
    },
    async close() {
      isResting = true;
      endAll();
      await Promise.all(ending);
    },
  };
}

/** One place for each kind of the last jobs, the newest first; where there are more kinds, the last is for anything. */
function wantedKinds(recent: readonly Prepared[], unfit: ReadonlySet<string>, size: number): Prepared[] {
  const kinds = [...new Map(recent.map((one) => [one.kind, one])).values()].reverse();
  const plain = { kind: '', ahead: null };
  const usable = kinds.map((one) => (one.kind === '' || unfit.has(one.kind) ? plain : one));
  const distinct = [...new Map(usable.map((one) => [one.kind, one])).values()];
  const first = distinct.length > size ? [...distinct.slice(0, size - 1), plain] : distinct;
  return Array.from({ length: size }, (_, place) => first[place % first.length] ?? plain);
}
