// One zygote process: its pipes, its reports, its log lines, its end. It knows nothing of cells: runs are numbers here,
// and each run's listener hears `ended` exactly once, also when the zygote itself is gone.

import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import type { z } from 'zod';
import { createLineSplitter } from '../../pipes/index.ts';
import { runtimeProgram } from '../../places.ts';
import type { ConsoleStream } from '../runtime.ts';
import { createReportReader, packOrder, type Report } from './envelope.ts';
import { begunSchema, endingSchema, readySchema } from './messages.ts';

const ORDERS_FD = 3;
const REPORTS_FD = 4;
const KEPT_LINES = 20;
/** Large packages that are loaded ahead take seconds on a cold disk. */
const START_TIMEOUT_MS = 60_000;
const CLOSE_GRACE_MS = 2000;
const PIPES_AFTER_EXIT_MS = 200;

const unknownEnding = { status: null, signal: null };

export interface ZygoteCommand {
  readonly interpreter: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Undefined: the server's own. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
  /** Whether cell processes may be forked; otherwise each is started afresh. */
  readonly fork: boolean;
  /** How many cell processes wait ready. */
  readonly places: number;
  readonly preload: readonly string[];
}

export type ZygoteFacts = z.infer<typeof readySchema>;
export type Ending = z.infer<typeof endingSchema> & {
  /** The zygote has never been told of the run: it may be given to another. */
  readonly unsent?: boolean;
};

export interface RunListener {
  onBegun(): void;
  onConsole(stream: ConsoleStream, bytes: Buffer): void;
  onMessage(text: string): void;
  onResult(text: string): void;
  onEnded(ending: Ending): void;
}

export interface ZygoteRun {
  say(message: object): void;
  /** Ends the run with every process that it started. */
  stop(): void;
}

export interface Zygote {
  /** Undefined until it is ready. Runs that are started before wait here. */
  readonly facts: ZygoteFacts | undefined;
  readonly preload: readonly string[];
  readonly runCount: number;
  readonly pid: number | undefined;
  start(job: object, listener: RunListener): ZygoteRun;
  /** Ends the process and every run in it. */
  close(): Promise<void>;
}

export interface ZygoteListener {
  onReady(facts: ZygoteFacts): void;
  onLine(line: string): void;
  onEnd(reason: string): void;
}

interface LiveRun {
  readonly listener: RunListener;
  /** The order, as long as the zygote has not been given it. */
  unsent: Buffer | undefined;
  /** The process that leads the run's group. */
  leader: number | undefined;
}

export function startZygote(command: ZygoteCommand, listener: ZygoteListener): Zygote {
  const { fork, places, preload } = command;
  const child = spawn(command.interpreter, [runtimeProgram, 'zygote', JSON.stringify({ fork, places, preload })], {
    cwd: command.cwd,
    env: command.env,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
    ...command.user,
  });
  const { promise: ended, resolve: resolveEnded } = Promise.withResolvers<void>();
  const runs = new Map<number, LiveRun>();
  const lastLines: string[] = [];
  let facts: ZygoteFacts | undefined;
  let lastRun = 0;
  let reason: string | undefined;
  let isOver = false;

  function end(fallback: string): void {
    if (isOver) return;
    isOver = true;
    clearTimeout(startTimer);
    const wrote = facts === undefined && lastLines.length > 0 ? `. It last wrote:\n${lastLines.join('\n')}` : '';
    const lost = `${reason ?? fallback}${wrote}`;
    for (const run of runs.values()) {
      if (run.leader !== undefined) endGroup(run.leader);
      run.listener.onEnded({ ...unknownEnding, lost, unsent: run.unsent !== undefined });
    }
    runs.clear();
    listener.onEnd(lost);
    resolveEnded();
  }

  function receive({ kind, run: number, payload }: Report): void {
    if (kind === 'ready') {
      clearTimeout(startTimer);
      facts = readySchema.parse(parse(payload));
      for (const waiting of runs.values()) send(waiting);
      listener.onReady(facts);
      return;
    }
    const run = runs.get(number);
    if (run === undefined) return;
    if (kind === 'stdout' || kind === 'stderr') run.listener.onConsole(kind, payload);
    else if (kind === 'message') run.listener.onMessage(payload.toString('utf8'));
    else if (kind === 'result') run.listener.onResult(payload.toString('utf8'));
    else if (kind === 'begun') {
      run.leader = begunSchema.parse(parse(payload)).pid;
      run.listener.onBegun();
    } else {
      runs.delete(number);
      run.listener.onEnded(endingSchema.parse(parse(payload)));
    }
  }

  const read = createReportReader(receive);
  const reports = child.stdio[REPORTS_FD];
  if (reports instanceof Readable) {
    reports.on('data', (chunk: Buffer) => {
      if (reason !== undefined) return;
      try {
        read(chunk);
      } catch (problem) {
        reason = `it broke the protocol (${problem instanceof Error ? problem.message : String(problem)})`;
        child.kill('SIGKILL');
      }
    });
    reports.on('error', ignore);
  }
  const orders = child.stdio[ORDERS_FD];
  if (orders instanceof Writable) orders.on('error', ignore);

  function order(packed: Buffer): void {
    if (!isOver && orders instanceof Writable) orders.write(packed);
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

  for (const stream of [child.stdout, child.stderr]) {
    const lines = createLineSplitter((line) => {
      lastLines.push(line);
      if (lastLines.length > KEPT_LINES) lastLines.shift();
      listener.onLine(line);
    });
    stream?.on('data', (chunk: Buffer) => lines.push(chunk));
    stream?.on('close', () => lines.end());
    stream?.on('error', ignore);
  }
  const startTimer = setTimeout(() => {
    reason = `it was not ready within ${START_TIMEOUT_MS / 1000} s`;
    child.kill('SIGKILL');
  }, START_TIMEOUT_MS);
  child.on('error', (problem) => {
    if (child.pid === undefined) end(`${command.interpreter} could not be run (${problem.message})`);
  });
  child.on('exit', (code, signal) => {
    reason ??= signal === null ? `it exited with status ${code}` : `it was ended by ${signal}`;
    // Its pipes may live on in a process that a cell left behind; that one is not waited for.
    const timer = setTimeout(() => {
      for (const stream of child.stdio) stream?.destroy();
    }, PIPES_AFTER_EXIT_MS);
    child.once('close', () => clearTimeout(timer));
  });
  child.on('close', () => end('its pipes were closed'));

  return {
    get facts() {
      return facts;
    },
    preload,
    get runCount() {
      return runs.size;
    },
    pid: child.pid,
    start(job, runListener) {
      const number = ++lastRun;
      const run = { listener: runListener, leader: undefined, unsent: packOrder('start', number, JSON.stringify(job)) };
      const lost = reason ?? 'it ended';
      if (isOver) queueMicrotask(() => runListener.onEnded({ ...unknownEnding, lost, unsent: true }));
      else runs.set(number, run);
      if (facts !== undefined) send(run);
      return {
        say: (message) => order(packOrder('say', number, JSON.stringify(message))),
        stop: () => stop(number),
      };
    },
    async close() {
      if (orders instanceof Writable) orders.destroy();
      const timer = setTimeout(() => child.kill('SIGKILL'), CLOSE_GRACE_MS);
      await ended;
      clearTimeout(timer);
    },
  };
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
