// Keeps one Python process at work: starts it for the first request, replaces it when it dies or hangs, and gives up
// with a clear error when it does not start.
//
// The process holds at most one request; all others wait here. So a dead process has exactly one suspect, a cancelled
// waiter is simply dropped, and no request that has begun is ever run a second time.

import { type ChildMessage, type EngineCommand, type EngineMemory, type PythonChild, startChild } from './child.ts';
import { diedAtWork, doesNotStart, type EngineUnavailable, isClosed, tookTooLong, wasRefused } from './errors.ts';
import type { JsonObject } from './frames.ts';
import { createJob, type Job, type RequestOptions } from './job.ts';
import { DEFAULT_LIMITS, type EngineLimits } from './limits.ts';

/** idle: no process; backing-off: waits to try again; failed: gave up for a while. */
export type EngineState = 'idle' | 'starting' | 'ready' | 'backing-off' | 'failed' | 'closed';

export interface EngineLogEntry {
  readonly engine: string;
  readonly source: 'stdout' | 'stderr' | 'supervisor';
  readonly line: string;
}

export interface EngineOptions extends EngineCommand {
  /** What the process is called in logs and errors: `analysis`, `data`. */
  readonly name: string;
  readonly log?: ((entry: EngineLogEntry) => void) | undefined;
  readonly limits?: Partial<EngineLimits> | undefined;
  /** After every answer that tells of Arrow's memory. */
  readonly onMemory?: (() => void) | undefined;
}

export interface Engine {
  readonly name: string;
  readonly state: EngineState;
  /** The running process, for metrics; undefined when there is none. */
  readonly pid: number | undefined;
  /** What Arrow held there at its last answer; undefined where there is no process or it has not loaded Arrow. */
  readonly memory: EngineMemory | undefined;
  /**
   * Runs `op` in the process. Fails with an EngineError, or with the signal's reason when that is aborted: a waiting
   * request is then dropped, and one at work may still finish within the grace before its process is ended.
   */
  request<R>(op: string, params: JsonObject, options: RequestOptions<R>): Promise<R>;
  /** Starts the process ahead of the first request; resolves when it is ready. */
  warm(): Promise<void>;
  close(): Promise<void>;
}

export function createEngine(options: EngineOptions): Engine {
  return new SupervisedEngine(options);
}

class SupervisedEngine implements Engine {
  readonly name: string;
  readonly #options: EngineOptions;
  readonly #limits: EngineLimits;
  #state: EngineState = 'idle';
  #child: PythonChild | undefined;
  #memory: EngineMemory | undefined;
  #running: Job | undefined;
  #waiting: Job[] = [];
  #warming: PromiseWithResolvers<void> | undefined;
  #lastId = 0;
  #failedStarts = 0;
  #failure: EngineUnavailable | undefined;
  /** The one thing waited for: a start, an answer, the end of a grace, of a back-off or of a rest. */
  #timer: NodeJS.Timeout | undefined;
  /** Every process that has not ended yet, the replaced ones included. */
  readonly #alive = new Set<PythonChild>();

  constructor(options: EngineOptions) {
    this.name = options.name;
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
  }

  get state(): EngineState {
    return this.#state;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get memory(): EngineMemory | undefined {
    return this.#child && this.#memory;
  }

  async request<R>(op: string, params: JsonObject, options: RequestOptions<R>): Promise<R> {
    options.signal?.throwIfAborted();
    this.#refuseWhenDown();
    const { job, done } = createJob({
      ...options,
      engine: this.name,
      id: ++this.#lastId,
      op,
      params,
      timeoutMs: options.timeoutMs ?? this.#limits.requestTimeoutMs,
      onAbort: (aborted) => this.#abandon(aborted),
    });
    this.#waiting.push(job);
    this.#advance();
    return done;
  }

  async warm(): Promise<void> {
    this.#refuseWhenDown();
    if (this.#state === 'ready') return;
    this.#warming ??= Promise.withResolvers<void>();
    const { promise } = this.#warming;
    this.#advance();
    return promise;
  }

  async close(): Promise<void> {
    this.#state = 'closed';
    this.#setTimer(undefined);
    this.#failAll(isClosed(this.name));
    this.#child = undefined;
    for (const child of this.#alive) child.close(this.#limits.closeGraceMs);
    await Promise.all([...this.#alive].map((child) => child.ended));
  }

  #refuseWhenDown(): void {
    if (this.#state === 'closed') throw isClosed(this.name);
    if (this.#state === 'failed' && this.#failure) throw this.#failure;
  }

  /** Does the next thing there is to do: start a process, or give it the next request. */
  #advance(): void {
    if (this.#state === 'idle' && (this.#waiting.length > 0 || this.#warming)) this.#start();
    if (this.#state !== 'ready' || this.#running) return;
    const job = this.#waiting.shift();
    if (job === undefined) return;
    this.#running = job;
    this.#setTimer(job.timeoutMs, () => this.#timeOut(job));
    this.#child?.send(job.frame);
  }

  #start(): void {
    this.#state = 'starting';
    this.#setTimer(this.#limits.startTimeoutMs, () => {
      this.#failStart(`it was not ready within ${this.#limits.startTimeoutMs} ms`);
    });
    try {
      const child = startChild(this.#options, {
        onMessage: (message) => {
          if (child === this.#child) this.#receive(message);
        },
        onLine: (source, line) => this.#options.log?.({ engine: this.name, source, line }),
        onEnd: (reason) => {
          this.#alive.delete(child);
          if (child === this.#child) this.#afterEnd(reason);
        },
      });
      this.#alive.add(child);
      this.#child = child;
      this.#memory = undefined;
    } catch (problem) {
      this.#failStart(problem instanceof Error ? problem.message : String(problem));
    }
  }

  #receive(message: ChildMessage): void {
    if (message.kind === 'ready') {
      this.#state = 'ready';
      this.#setTimer(undefined);
      this.#report(`ready, Python ${message.python}, process ${this.#child?.pid}`);
      this.#warming?.resolve();
      this.#warming = undefined;
      this.#advance();
      return;
    }
    const job = this.#running;
    if (job === undefined || (message.id !== null && message.id !== job.id)) return;
    if (message.kind === 'begun') {
      job.begun = true;
      this.#failedStarts = 0;
      return;
    }
    this.#setTimer(undefined);
    this.#running = undefined;
    this.#memory = message.memory;
    if (message.memory) this.#options.onMemory?.();
    if (message.kind === 'result') job.answer(message.result);
    else job.fail(wasRefused(this.name, job.op, message.error.type, message.error.message));
    this.#advance();
  }

  #afterEnd(reason: string): void {
    const job = this.#running;
    if (job?.begun) {
      job.fail(diedAtWork(this.name, job.op, reason));
      this.#replace(`died during ${job.op}: ${reason}`);
    } else if (this.#state === 'ready' && job === undefined) {
      this.#replace(`died while idle: ${reason}`);
    } else {
      this.#failStart(reason);
    }
  }

  #timeOut(job: Job): void {
    job.fail(tookTooLong(this.name, job.op, job.timeoutMs));
    this.#replace(`ended: ${job.op} took longer than ${job.timeoutMs} ms`);
  }

  #abandon(job: Job): void {
    this.#waiting = this.#waiting.filter((other) => other !== job);
    if (job !== this.#running) return;
    this.#setTimer(this.#limits.cancelGraceMs, () => this.#replace(`ended: ${job.op} was cancelled and went on`));
  }

  /** Lets go of the process, dead or alive, and of the request it held, which is settled by now. */
  #replace(why: string): void {
    this.#report(why);
    this.#running = undefined;
    this.#dropChild();
    this.#state = 'idle';
    this.#advance();
  }

  /** The process ended, or hung, before it began with anything: the request it may hold waits for the next one. */
  #failStart(reason: string): void {
    if (this.#running && !this.#running.abandoned) this.#waiting.unshift(this.#running);
    this.#running = undefined;
    const lastLines = this.#child?.lastLines ?? [];
    this.#dropChild();
    this.#failedStarts += 1;
    this.#report(`start ${this.#failedStarts} of ${this.#limits.maxFailedStarts} failed: ${reason}`);
    if (this.#failedStarts < this.#limits.maxFailedStarts) {
      this.#state = 'backing-off';
      this.#setTimer(this.#limits.backOffMs * 2 ** (this.#failedStarts - 1), () => this.#tryAgain());
      return;
    }
    const { command, args } = this.#options;
    const attempts = this.#failedStarts;
    this.#state = 'failed';
    this.#failure = doesNotStart(this.name, { attempts, command: [command, ...args].join(' '), reason, lastLines });
    this.#failedStarts = 0;
    this.#failAll(this.#failure);
    this.#setTimer(this.#limits.restAfterFailureMs, () => this.#tryAgain());
    this.#timer?.unref();
  }

  #tryAgain(): void {
    this.#state = 'idle';
    this.#advance();
  }

  #dropChild(): void {
    this.#setTimer(undefined);
    this.#child?.kill();
    this.#child = undefined;
  }

  #failAll(problem: EngineUnavailable): void {
    const jobs = this.#running ? [this.#running, ...this.#waiting] : this.#waiting;
    this.#running = undefined;
    this.#waiting = [];
    for (const job of jobs) job.fail(problem);
    this.#warming?.reject(problem);
    this.#warming = undefined;
  }

  #setTimer(delayMs: number | undefined, act?: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = delayMs === undefined || act === undefined ? undefined : setTimeout(act, delayMs);
  }

  #report(line: string): void {
    this.#options.log?.({ engine: this.name, source: 'supervisor', line });
  }
}
