// The direct transport: the cell and its inputs go to the worker in one request, its bundle comes back in the answer, or
// from a job that the worker names.
import { randomBytes } from 'node:crypto';
import type { BundleLimits } from '../bundle/index.ts';
import type { UrlAnswer } from '../fetch/index.ts';
import type { Job, RunResult } from '../runtimes/index.ts';
import { createWorkerClient, failureOf, lost } from './client.ts';
import { RemoteFailure, type RemotePlace } from './failure.ts';
import { awaitJob, jobUrlOf, type Progress, patienceOf } from './jobs.ts';
import type { Lines } from './lines.ts';
import { runFromBundle } from './outcome.ts';
import { type PushedFacts, pushBody, wireInputs } from './pushBody.ts';
import type { RemoteWorker } from './spec.ts';
import { submitUntilTaken } from './submit.ts';

export interface DispatchOptions {
  readonly limits: BundleLimits;
  readonly provisioningSeconds: number;
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal;
  readonly lines: Lines;
}

const protocolHeaders = { 'x-svc-executor-protocol': 'v1', 'x-svc-notebook-executor-protocol': 'notebook-cell-v1' };

export async function runDirect(
  worker: RemoteWorker,
  job: Job,
  facts: PushedFacts,
  options: DispatchOptions,
): Promise<RunResult> {
  const begun = performance.now();
  const place: RemotePlace = { worker: worker.name, transport: 'direct' };
  const client = createWorkerClient(worker);
  const buildId = `notebook-${randomBytes(6).toString('hex')}`;
  const submitted = worker.url.href;
  const inputs = await wireInputs(job, facts.outputDirs, job.outputDir);
  const timeoutSeconds = job.timeoutSeconds ?? 86_400;
  // The worker's own limit normally comes first; installing an environment and bringing mounts come on top of it.
  const prepares = facts.environment !== null || facts.mounts.length > 0;
  const patience = Math.max(timeoutSeconds + 5, 30) + (prepares ? options.provisioningSeconds : 0);
  // Begins anew whenever the worker was full: waiting for room has a limit of its own.
  let late = new AbortController().signal;

  async function submit(): Promise<UrlAnswer> {
    const body = await pushBody(job, facts, buildId, inputs);
    late = AbortSignal.timeout(Math.min(patience * 1000, 2 ** 31 - 1));
    const signal = AbortSignal.any([options.signal, late]);
    const headers = {
      'x-svc-executor-protocol': 'v1',
      'content-type': body.contentType,
      'content-length': String(body.length),
    };
    // A worker that works on it answers only when it is done: until then its name is all there is to tell.
    options.onProgress({ state: 'running', position: null, detail: null });
    return client.ask(submitted, { method: 'POST', headers, body: body.pieces(), signal });
  }

  try {
    const answer = await submitUntilTaken(worker, submit, options);
    if (answer.status === 200) {
      checkProtocol(worker, answer);
      return await received(worker, () => runFromBundle(answer.body, job, options.limits, place, begun));
    }
    if (answer.status !== 202) throw await failureOf(worker, answer);
    options.onProgress({ state: 'starting', position: null, detail: null });
    const jobUrl = await jobUrlOf(worker, answer, submitted);
    // It was taken: from here on its job has its own deadlines.
    late = new AbortController().signal;
    const patienceSeconds = patienceOf(answer);
    const fetched = async (): Promise<RunResult> => {
      const end = await awaitJob(jobUrl, {
        ...options,
        worker,
        client,
        submitted,
        headers: { 'x-svc-executor-protocol': 'v1' },
        timeoutSeconds,
        patienceSeconds,
      });
      if (end.kind !== 'bundle')
        throw new RemoteFailure('PROTOCOL_ERROR', `The worker ${worker.name} finished its job without a bundle.`);
      checkProtocol(worker, end.answer);
      return received(worker, () => runFromBundle(end.answer.body, job, options.limits, place, begun));
    };
    return await fetched().catch((error: unknown) => {
      // A bundle that broke off on its way is still there.
      if (patienceSeconds > 0 && error instanceof RemoteFailure && error.code === 'REQUEST_FAILED') return fetched();
      throw error;
    });
  } catch (error) {
    await client.cancel(buildId);
    if (late.aborted && !options.signal.aborted)
      throw new RemoteFailure('TIMEOUT', `The worker ${worker.name} did not answer within ${patience} s.`);
    throw error;
  }
}

/** A connection that breaks while a bundle comes is a worker that was lost. */
async function received(worker: RemoteWorker, work: () => Promise<RunResult>): Promise<RunResult> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ECONNRESET' || code === 'ABORT_ERR') throw lost(worker, error);
    throw error;
  }
}

/** A header may be missing, but not name another version. */
export function checkProtocol({ name }: RemoteWorker, { headers }: UrlAnswer): void {
  const type = headers['content-type'] ?? '';
  if (/^(text\/html|application\/json)\b/.test(type))
    throw new RemoteFailure(
      'PROTOCOL_ERROR',
      `The worker ${name} answered with ${type.slice(0, 40)} and no result of a cell: what answers there may be no worker.`,
    );
  for (const [header, wanted] of Object.entries(protocolHeaders)) {
    const found = headers[header];
    if (found !== undefined && found !== wanted)
      throw new RemoteFailure(
        'PROTOCOL_ERROR',
        `The worker ${name} speaks ${String(found).slice(0, 40)}, not ${wanted}.`,
      );
  }
}
