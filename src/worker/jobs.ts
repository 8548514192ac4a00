// Cells that nobody waits for over one request: each has a state that is asked about, and an end that is kept until it was
// fetched. Whoever asks may wait for the next change (RFC 7240, `Prefer: wait`), so that nothing is told late.
import { createReadStream } from 'node:fs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { cellProtocol, executorProtocol } from './protocolNames.ts';

export interface JobState {
  readonly state: 'queued' | 'provisioning' | 'starting' | 'running';
  readonly position?: number | null;
  readonly detail?: string | null;
}

export type JobEnding =
  | { readonly kind: 'bundle'; readonly file: string; readonly size: number }
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly status: number; readonly error: string };

/** One job, for those who watch it. */
export interface WatchedJob {
  readonly state: JobState;
  readonly ending: JobEnding | undefined;
  tell(state: JobState): void;
  /** Only the first end counts. */
  end(ending: JobEnding): void;
  /** Resolves when the job is no longer as `seen` has it, at the latest after so long. */
  changed(seen: string | undefined, milliseconds: number, signal: AbortSignal): Promise<void>;
  /** What stands for the job as it is now. */
  readonly tag: string;
}

/** Names the job of a request: the answer is 202 then, and the same name twice is the same job. */
export const jobHeader = 'x-svc-job';
/** For so many seconds whoever answers for a job may be away, and the job is still there. */
export const patienceHeader = 'x-svc-job-patience';
export const plainJobId = /^[A-Za-z0-9_-]{1,80}$/;
const longestWaitMilliseconds = 25_000;

export function createWatchedJob(first: JobState): WatchedJob {
  let state = first;
  let ending: JobEnding | undefined;
  let tag = tagOf(state, ending);
  let waiting: (() => void)[] = [];

  function change(): void {
    const next = tagOf(state, ending);
    if (next === tag) return;
    tag = next;
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  }

  return {
    get state() {
      return state;
    },
    get ending() {
      return ending;
    },
    get tag() {
      return tag;
    },
    tell(next) {
      if (ending) return;
      state = next;
      change();
    },
    end(final) {
      ending ??= final;
      change();
    },
    async changed(seen, milliseconds, signal) {
      if (seen !== tag || ending || signal.aborted) return;
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          waiting = waiting.filter((wake) => wake !== done);
          resolve();
        };
        const timer = setTimeout(done, Math.min(milliseconds, longestWaitMilliseconds));
        signal.addEventListener('abort', done, { once: true });
        waiting.push(done);
      });
    },
  };
}

const tagOf = ({ state, position, detail }: JobState, ending: JobEnding | undefined): string =>
  `"${Buffer.from(ending ? ending.kind : JSON.stringify([state, position ?? null, detail ?? null])).toString('base64url')}"`;

/** The answer to somebody who asks how a job is. */
export async function answerJob(
  job: WatchedJob,
  request: FastifyRequest,
  reply: FastifyReply,
  gone: AbortSignal,
): Promise<FastifyReply> {
  const wanted = /(?:^|[,;\s])wait=(\d+)/.exec(String(request.headers.prefer ?? ''))?.[1];
  if (wanted !== undefined) {
    await job.changed(request.headers['if-none-match'], Number(wanted) * 1000, gone);
    reply.header('preference-applied', `wait=${wanted}`);
  }
  const { ending, state } = job;
  if (ending?.kind === 'bundle')
    return reply
      .type('application/x-tar')
      .header('content-length', ending.size)
      .header('x-svc-executor-protocol', executorProtocol)
      .header('x-svc-notebook-executor-protocol', cellProtocol)
      .send(createReadStream(ending.file));
  reply.header('etag', job.tag).type('application/json; charset=utf-8');
  if (!ending) return reply.send(JSON.stringify(state));
  return reply.send(
    JSON.stringify(
      ending.kind === 'result'
        ? { state: 'finished', status_code: 200, result: ending.result }
        : { state: 'failed', status_code: ending.status, error: ending.error },
    ),
  );
}
