// A request on its way: what is sent, whom to tell, and whether the caller still waits. It is settled exactly once.

import type { z } from 'zod';
import { answeredOtherwise, wasRefused } from './errors.ts';
import { encodeFrame, FrameProblem, type JsonObject } from './frames.ts';

export interface RequestOptions<R> {
  /** What the answer has to look like; anything else fails with EngineMisanswered. */
  readonly schema: z.ZodType<R>;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Job {
  readonly id: number;
  readonly op: string;
  readonly frame: Buffer;
  readonly timeoutMs: number;
  /** The process has said that it works on this request. */
  begun: boolean;
  /** The caller has gone: the answer interests nobody. */
  abandoned: boolean;
  answer(result: unknown): void;
  fail(problem: unknown): void;
}

export interface JobRequest<R> extends RequestOptions<R> {
  readonly engine: string;
  readonly id: number;
  readonly op: string;
  readonly params: JsonObject;
  readonly timeoutMs: number;
  /** Called when the caller has gone; the promise is rejected already. */
  readonly onAbort: (job: Job) => void;
}

export function createJob<R>(request: JobRequest<R>): { job: Job; done: Promise<R> } {
  const { engine, id, op, signal } = request;
  const { promise: done, resolve, reject } = Promise.withResolvers<R>();

  const job: Job = {
    id,
    op,
    frame: encodeRequest(engine, id, op, request.params),
    timeoutMs: request.timeoutMs,
    begun: false,
    abandoned: false,
    answer(result) {
      signal?.removeEventListener('abort', abort);
      if (job.abandoned) return;
      try {
        const parsed = request.schema.safeParse(result);
        if (parsed.success) resolve(parsed.data);
        else reject(answeredOtherwise(engine, op, firstDifference(parsed.error)));
      } catch (problem) {
        reject(problem); // a transform of the caller's schema threw: the process is not to blame
      }
    },
    fail(problem) {
      signal?.removeEventListener('abort', abort);
      reject(problem);
    },
  };

  function abort(): void {
    job.abandoned = true;
    reject(signal?.reason);
    request.onAbort(job);
  }
  signal?.addEventListener('abort', abort, { once: true });

  return { job, done };
}

function encodeRequest(engine: string, id: number, op: string, params: JsonObject): Buffer {
  try {
    return encodeFrame({ id, op, params });
  } catch (problem) {
    // RangeError: nested too deeply for JSON.stringify; TypeError: a cycle.
    if (problem instanceof FrameProblem || problem instanceof RangeError || problem instanceof TypeError) {
      throw wasRefused(engine, op, problem.name, problem.message);
    }
    throw problem;
  }
}

function firstDifference(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue === undefined ? 'unknown' : `${issue.message} at ${issue.path.join('.') || 'the top'}`;
}
