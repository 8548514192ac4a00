// Hands a cell to a worker. One that is full says when to come back, and is asked again for as long as one may wait for a
// machine to start.
import { setTimeout as pause } from 'node:timers/promises';
import type { UrlAnswer } from '../fetch/index.ts';
import { failureOf } from './client.ts';
import type { Progress } from './jobs.ts';
import type { RemoteWorker } from './spec.ts';

export interface Patience {
  readonly provisioningSeconds: number;
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal;
}

/** The first answer that is not "full"; throws the failure of the last one when the time is over. */
export async function submitUntilTaken(
  worker: RemoteWorker,
  ask: () => Promise<UrlAnswer>,
  { provisioningSeconds, onProgress, signal }: Patience,
): Promise<UrlAnswer> {
  const begun = performance.now();
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503) return answer;
    const wait = Math.min(60, Math.max(1, Number(answer.headers['retry-after']) || 5));
    const failure = await failureOf(worker, answer);
    if ((performance.now() - begun) / 1000 + wait > provisioningSeconds) throw failure;
    onProgress({ state: 'starting', position: null, detail: 'the worker is full' });
    await pause(wait * 1000, undefined, { signal });
  }
}
