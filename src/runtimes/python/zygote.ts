// One zygote as the server sees it: its two pipes, its reports, its end. It knows nothing of cells: runs are numbers here,
// and each run's listener hears `ended` exactly once, also when the zygote itself is gone.

import type { Readable, Writable } from 'node:stream';
import type { z } from 'zod';
import type { ConsoleStream } from '../runtime.ts';
import { createReportReader, packOrder, type Report } from './envelope.ts';
import {
  begunSchema,
  endingSchema,
  importingSchema,
  loadingSchema,
  readySchema,
  type Unfit,
  unfitSchema,
} from './messages.ts';

/** From the start to readiness, or from one module that is loaded ahead to the next. */
const SILENCE_MS = 120_000;
const CLOSE_GRACE_MS = 2000;

const unknownEnding = { status: null, signal: null };

export type ZygoteFacts = z.infer<typeof readySchema>;
export type Ending = z.infer<typeof endingSchema> & {
  /** The zygote has never been told of the run: it may be given to another. */
  readonly unsent?: boolean;
};

export interface RunListener {
  /** `pid`: the process that leads its group. */
  onBegun(pid: number): void;
  onConsole(stream: ConsoleStream, bytes: Buffer): void;
  onMessage(text: string): void;
  onResult(text: string): void;
  onEnded(ending: Ending): void;
  /** The cell has begun to import a module that was not loaded ahead. */
  onImporting?(name: string): void;
}

export interface ZygoteRun {
  say(message: object): void;
  /** Ends the run with every process that it started. */
  stop(): void;
}

export interface Zygote {
  /** Undefined until it is ready. */
  readonly facts: ZygoteFacts | undefined;
  /** The modules that it was asked to load, those of the zygote that it grew from included. */
  readonly modules: ReadonlySet<string>;
  readonly runCount: number;
  readonly pid: number | undefined;
  /** Whether it was asked to end: it takes no jobs any more. */
  readonly isClosing: boolean;
  /** It may still be starting: the order is kept until it is ready. `afresh`: in an interpreter that was started for it. */
  start(job: object, listener: RunListener, afresh?: boolean): ZygoteRun;
  /** How many interpreters with these modules wait for jobs that are started afresh. */
  keepSpares(modules: readonly string[], places: number): void;
  /** Goes on as a copy on another channel, which loads these modules. */
  grow(modules: readonly string[], channel: number): void;
  /** This process is one of the family, though its parent may end before it. */
  welcome(pid: number): void;
  /** A copy has taken over: there will be no other. */
  letGo(): void;
  /** No cell will come: no process waits for one any more. */
  rest(): void;
  /** Ends the process and every run in it. */
  close(): Promise<void>;
}

export interface ZygoteListener {
  onBorn?(pid: number): void;
  onReady(facts: ZygoteFacts): void;
  onUnfit(unfit: Unfit): void;
  onEnd(reason: string): void;
}

/** Where a zygote is reached, and what is known of its process. */
export interface ZygotePipes {
  readonly orders: Writable;
  readonly reports: Readable;
  /** Why it ended, where somebody knows more than that its pipe was closed. */
  readonly exit: Promise<string>;
  kill(pid: number | undefined): void;
}

type RunReportKind = Exclude<Report['kind'], 'ready' | 'loading' | 'unfit'>;

interface LiveRun {
  readonly listener: RunListener;
  /** The order, as long as the zygote has not been given it. */
  unsent: Buffer | undefined;
  /** The process that leads the run's group. */
  leader: number | undefined;
}

export function attachZygote(pipes: ZygotePipes, modules: ReadonlySet<string>, listener: ZygoteListener): Zygote {
  const { orders, reports } = pipes;
  const { promise: ended, resolve: resolveEnded } = Promise.withResolvers<void>();
  const runs = new Map<number, LiveRun>();
  let facts: ZygoteFacts | undefined;
  let pid: number | undefined;
  let loading: string | null = null;
  let lastRun = 0;
  let reason: string | undefined;
  let isOver = false;
  let isClosing = false;
  const silence = noticeSilence(SILENCE_MS, () => {
    const seconds = SILENCE_MS / 1000;
    reason =
      loading === null ? `it was not ready within ${seconds} s` : `${loading} was not loaded within ${seconds} s`;
    pipes.kill(pid);
  });

  function end(why: string): void {
    if (isOver) return;
    isOver = true;
    silence.over();
    orders.destroy();
    const lost = reason ?? why;
    if (loading !== null && facts === undefined) {
      listener.onUnfit({
        name: loading,
        why: reason === undefined ? 'its import ended the process' : reason,
        spare: true,
      });
    }
    for (const run of runs.values()) {
      if (run.leader !== undefined) endGroup(run.leader);
      run.listener.onEnded({ ...unknownEnding, lost, unsent: run.unsent !== undefined });
    }
    runs.clear();
    listener.onEnd(lost);
    resolveEnded();
  }

  function receive({ kind, run: number, payload }: Report): void {
    silence.heard();
    if (kind === 'ready') {
      facts = readySchema.parse(parse(payload));
      pid = facts.pid;
      loading = null;
      silence.over();
      for (const waiting of runs.values()) send(waiting);
      listener.onReady(facts);
      return;
    }
    if (kind === 'loading') {
      const isNew = pid === undefined;
      ({ pid, name: loading } = loadingSchema.parse(parse(payload)));
      if (isNew) listener.onBorn?.(pid);
      return;
    }
    if (kind === 'unfit') {
      loading = null;
      listener.onUnfit(unfitSchema.parse(parse(payload)));
      return;
    }
    const run = runs.get(number);
    if (run === undefined) return;
    if (kind === 'ended') runs.delete(number);
    tellRun(run, kind, payload);
  }

  const read = createReportReader(receive);
  reports.on('data', (chunk: Buffer) => {
    if (reason !== undefined) return;
    try {
      read(chunk);
    } catch (problem) {
      reason = `it broke the protocol (${problem instanceof Error ? problem.message : String(problem)})`;
      pipes.kill(pid);
    }
  });
  reports.on('error', ignore);
  reports.on('close', () => void pipes.exit.then(end));
  orders.on('error', ignore);

  function order(packed: Buffer): void {
    if (!isOver) orders.write(packed);
  }

  function send(run: LiveRun): void {
    if (run.unsent !== undefined) order(run.unsent);
    run.unsent = undefined;
  }

  function stop(number: number): void {
    const run = runs.get(number);
    if (run?.unsent === undefined) {
      order(packOrder('stop', number));
      return;
    }
    runs.delete(number);
    run.listener.onEnded({ ...unknownEnding, lost: 'it was stopped before it began', unsent: true });
  }

  return {
    get facts() {
      return facts;
    },
    modules,
    get runCount() {
      return runs.size;
    },
    get pid() {
      return pid;
    },
    get isClosing() {
      return isClosing;
    },
    start(job, runListener, afresh = false) {
      const number = ++lastRun;
      const packed = packOrder(afresh ? 'startAfresh' : 'start', number, JSON.stringify(job));
      const run = { listener: runListener, leader: undefined, unsent: packed };
      const lost = reason ?? 'it ended';
      if (isOver || isClosing) queueMicrotask(() => runListener.onEnded({ ...unknownEnding, lost, unsent: true }));
      else runs.set(number, run);
      if (facts !== undefined && !isClosing) send(run);
      return {
        say: (message) => order(packOrder('say', number, JSON.stringify(message))),
        stop: () => stop(number),
      };
    },
    keepSpares: (names, places) => order(packOrder('spares', 0, JSON.stringify({ modules: names, places }))),
    grow: (names, channel) => order(packOrder('grow', 0, JSON.stringify({ modules: names, channel }))),
    welcome: (kin) => order(packOrder('kin', 0, JSON.stringify({ pid: kin }))),
    letGo: () => order(packOrder('letGo', 0)),
    rest: () => order(packOrder('rest', 0)),
    async close() {
      isClosing = true;
      orders.destroy();
      const timer = setTimeout(() => pipes.kill(pid), CLOSE_GRACE_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Calls once nothing was heard for so long, until it is over. */
function noticeSilence(milliseconds: number, onSilent: () => void) {
  let timer: NodeJS.Timeout | undefined = setTimeout(onSilent, milliseconds);
  return {
    heard: () => void timer?.refresh(),
    over(): void {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

function tellRun(run: LiveRun, kind: RunReportKind, payload: Buffer): void {
  const { listener } = run;
  if (kind === 'stdout' || kind === 'stderr') listener.onConsole(kind, payload);
  else if (kind === 'message') listener.onMessage(payload.toString('utf8'));
  else if (kind === 'result') listener.onResult(payload.toString('utf8'));
  else if (kind === 'importing') listener.onImporting?.(importingSchema.parse(parse(payload)).name);
  else if (kind === 'ended') listener.onEnded(endingSchema.parse(parse(payload)));
  else {
    run.leader = begunSchema.parse(parse(payload)).pid;
    listener.onBegun(run.leader);
  }
}

function parse(payload: Buffer): unknown {
  return JSON.parse(payload.toString('utf8'));
}

/** A zygote ends its groups itself; this is for one that was killed. */
function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}

function ignore(): void {
  // A broken pipe is seen again, with its reason, when the process ends.
}
