// Jobs that a worker took and will do later: asked about until they are done, within two deadlines, one for the time before
// the cell runs and one for the cell. A worker that can hold its answer until something changes is asked to; others are asked
// once a second.
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { shortText, type UrlAnswer } from '../fetch/index.ts';
import { failureFrom, type WorkerClient } from './client.ts';
import { RemoteFailure } from './failure.ts';
import type { RemoteWorker } from './spec.ts';

export interface Progress {
  readonly state: 'starting' | 'running';
  readonly position: number | null;
  readonly detail: string | null;
}

export interface PolledJob {
  readonly worker: RemoteWorker;
  readonly client: WorkerClient;
  /** Where the job was asked for. */
  readonly submitted: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly provisioningSeconds: number;
  readonly timeoutSeconds: number;
  /** How long the worker may be away while the job goes on. */
  readonly patienceSeconds: number;
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal;
}

/** How it ended: the bundle itself, or what a pulled job says in JSON. */
export type JobEnd =
  | { readonly kind: 'bundle'; readonly answer: UrlAnswer }
  | { readonly kind: 'result'; readonly result: unknown };

const pollMilliseconds = 1000;
const longestWaitSeconds = 20;
/** Longer than this nobody is waited for, whatever a worker says. */
const mostPatienceSeconds = 300;
const askMilliseconds = 30_000;
/** A result may be large; asking how a job is takes a moment. */
const bundleMilliseconds = 1_800_000;
const maxDetailCharacters = 200;

const stateSchema = z.looseObject({
  state: z.string(),
  position: z.int().min(1).nullable().catch(null),
  detail: z
    .string()
    .transform((detail) => detail.trim().slice(0, maxDetailCharacters) || null)
    .nullable()
    .catch(null),
  status_code: z.int().optional().catch(undefined),
  error: z.string().optional().catch(undefined),
  result: z.unknown().optional(),
});

export async function jobUrlOf({ name }: RemoteWorker, answer: UrlAnswer, submitted: string): Promise<string> {
  const said = await shortText(answer.body);
  const found = z.looseObject({ job_url: z.string().min(1) }).safeParse(jsonOf(said)).data?.job_url;
  const url = found === undefined ? null : URL.parse(found, submitted);
  if (!url) throw new RemoteFailure('PROTOCOL_ERROR', `The worker ${name} took the job and did not say where to ask.`);
  if (url.origin !== new URL(submitted).origin)
    throw new RemoteFailure('PROTOCOL_ERROR', `The worker ${name} sends its callers to another host for its job.`);
  return url.href;
}

/** What a worker says about jobs that outlive the program which answers for them; none where it says nothing. */
export function patienceOf({ headers }: UrlAnswer): number {
  const seconds = Number(headers['x-svc-job-patience']);
  return seconds > 0 ? Math.min(seconds, mostPatienceSeconds) : 0;
}

export async function awaitJob(jobUrl: string, job: PolledJob): Promise<JobEnd> {
  const { worker, client, headers, onProgress, signal } = job;
  const begun = performance.now();
  let runningSince: number | undefined;
  let lastState = 'queued';
  let told = '';
  let tag: string | undefined;
  let heardAt = performance.now();

  function tell(progress: Progress): void {
    const text = JSON.stringify(progress);
    if (text === told) return;
    told = text;
    onProgress(progress);
  }

  function checkDeadlines(): void {
    const now = performance.now();
    if (runningSince === undefined && now - begun > job.provisioningSeconds * 1000)
      throw new RemoteFailure(
        'PROVISIONING_TIMEOUT',
        `The worker ${worker.name} did not begin within ${job.provisioningSeconds} s (SVC_WORKER_PROVISIONING_TIMEOUT_SECONDS); it was last ${lastState}.`,
      );
    if (runningSince !== undefined && now - runningSince > job.timeoutSeconds * 1000)
      throw new RemoteFailure(
        'TIMEOUT',
        `The cell did not finish within ${job.timeoutSeconds} s on the worker ${worker.name}.`,
      );
  }

  /** So that no deadline passes while an answer is held. */
  function waitSeconds(): number {
    const [since, limit] =
      runningSince === undefined ? [begun, job.provisioningSeconds] : [runningSince, job.timeoutSeconds];
    const left = limit - (performance.now() - since) / 1000;
    return Math.max(1, Math.min(longestWaitSeconds, Math.ceil(left)));
  }

  /** Undefined while a worker that may be away is. */
  async function ask(late: AbortController): Promise<UrlAnswer | undefined> {
    const held = { prefer: `wait=${waitSeconds()}`, ...(tag === undefined ? {} : { 'if-none-match': tag }) };
    try {
      const answer = await client.ask(jobUrl, {
        headers: { ...headers, ...held },
        signal: AbortSignal.any([signal, late.signal]),
      });
      const isAway = job.patienceSeconds > 0 && answer.status >= 502 && answer.status <= 504;
      if (!isAway) return answer;
      answer.body.destroy();
    } catch (error) {
      if (signal.aborted) throw error;
      if (job.patienceSeconds === 0) throw unanswered(error);
    }
    if (performance.now() - heardAt > job.patienceSeconds * 1000)
      throw unanswered(`The worker ${worker.name} has not been there for ${job.patienceSeconds} s.`);
    return undefined;
  }

  for (;;) {
    const late = new AbortController();
    let timer = setTimeout(() => late.abort(), askMilliseconds);
    const answer = await ask(late).finally(() => clearTimeout(timer));
    if (!answer) {
      checkDeadlines();
      await pause(pollMilliseconds, undefined, { signal });
      continue;
    }
    heardAt = performance.now();
    if (answer.status === 200 && answer.headers['content-type']?.startsWith('application/x-tar')) {
      timer = setTimeout(() => late.abort(), bundleMilliseconds).unref();
      answer.body.once('close', () => clearTimeout(timer));
      return { kind: 'bundle', answer };
    }
    timer = setTimeout(() => late.abort(), askMilliseconds);
    const said = await shortText(answer.body).finally(() => clearTimeout(timer));
    const { data } = stateSchema.safeParse(jsonOf(said));
    if (answer.status !== 200 || !data)
      throw unanswered(`The worker ${worker.name} answered ${answer.status} when it was asked about its job.`);
    if (data.state === 'finished' || data.state === 'failed') return ended(worker, data);
    lastState = data.state.slice(0, 40);
    if (data.state === 'running') {
      runningSince ??= performance.now();
      tell({ state: 'running', position: null, detail: data.detail });
    } else tell({ state: 'starting', position: data.position, detail: data.detail });
    checkDeadlines();
    const holds = answer.headers['preference-applied'] !== undefined && typeof answer.headers.etag === 'string';
    tag = holds ? answer.headers.etag : undefined;
    if (!holds) await pause(pollMilliseconds, undefined, { signal });
  }
}

const unanswered = (error: unknown): RemoteFailure =>
  new RemoteFailure('JOB_STATUS_FAILED', error instanceof Error ? error.message : String(error));

function ended({ name }: RemoteWorker, { state, status_code, error, result }: z.infer<typeof stateSchema>): JobEnd {
  const status = status_code ?? (state === 'finished' ? 200 : 502);
  if (state === 'finished' && status === 200) return { kind: 'result', result };
  throw failureFrom(
    name,
    status,
    result === undefined ? JSON.stringify({ detail: error ?? `job ${state}` }) : JSON.stringify(result),
  );
}

function jsonOf(said: string): unknown {
  try {
    return JSON.parse(said);
  } catch {
    return undefined;
  }
}
