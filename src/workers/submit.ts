// Hands a cell to a worker. A refusal is not tried again, but a worker that says of itself that it is full is waited for: the
// cell stands in line for it, for as long as one may wait for a machine to start, and whoever watches sees its place.
import type { UrlAnswer } from '../fetch/index.ts';
import { failureOf } from './client.ts';
import { RemoteFailure } from './failure.ts';
import type { Progress } from './jobs.ts';
import type { Lines } from './lines.ts';
import { saysItIsFull } from './room.ts';
import type { RemoteWorker } from './spec.ts';

export interface Patience {
  readonly provisioningSeconds: number;
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal;
  readonly lines: Lines;
}

/** A worker that has not refused by then has most likely taken the cell, and answers when it is done: the next one may ask. */
const takenMilliseconds = 1000;

export const lineOf = ({ url }: RemoteWorker): string => url.origin;

/** The first answer that is not "full". */
export async function submitUntilTaken(
  worker: RemoteWorker,
  ask: () => Promise<UrlAnswer>,
  { provisioningSeconds, onProgress, signal, lines }: Patience,
): Promise<UrlAnswer> {
  const begun = performance.now();
  const line = lineOf(worker);
  let endings = lines.endings(line);
  let refused: UrlAnswer | undefined;
  if (!lines.isWaiting(line)) {
    const answer = await ask();
    if (answer.status !== 503) return answer;
    refused = await refusedForRoom(worker, answer, signal);
  }
  const late = AbortSignal.timeout(Math.min(provisioningSeconds * 1000, 2 ** 31 - 1));
  const turn = await lines
    .enter(line, placeTeller(onProgress), AbortSignal.any([signal, late]))
    .catch((error: unknown) => {
      throw signal.aborted ? error : stayedFull(worker, provisioningSeconds);
    });
  try {
    for (;;) {
      for (let mayAsk = refused === undefined; !mayAsk; mayAsk = !(await saysItIsFull(worker, signal))) {
        const wait = Math.min(60, Math.max(1, Number(refused?.headers['retry-after']) || 5));
        if ((performance.now() - begun) / 1000 + wait > provisioningSeconds)
          throw stayedFull(worker, provisioningSeconds);
        await turn.rest(wait * 1000, endings);
        endings = lines.endings(line);
      }
      const taken = setTimeout(turn.leave, takenMilliseconds);
      const answer = await ask().finally(() => clearTimeout(taken));
      if (answer.status !== 503) return answer;
      refused = await refusedForRoom(worker, answer, signal);
    }
  } finally {
    turn.leave();
  }
}

/** The refusal, when it is for want of room; any other is the cell's failure. */
async function refusedForRoom(worker: RemoteWorker, answer: UrlAnswer, signal: AbortSignal): Promise<UrlAnswer> {
  const failure = await failureOf(worker, answer);
  if (!(await saysItIsFull(worker, signal))) throw failure;
  return answer;
}

/** Tells a place when it is another one. */
function placeTeller(onProgress: Patience['onProgress']): (place: number) => void {
  let told = 0;
  return (place) => {
    if (place === told) return;
    told = place;
    onProgress({ state: 'starting', position: place, detail: `the worker is full, #${place} in line` });
  };
}

const stayedFull = ({ name }: RemoteWorker, seconds: number): RemoteFailure =>
  new RemoteFailure(
    'PROVISIONING_TIMEOUT',
    `The worker ${name} had no room for the cell within ${seconds} s (SVC_WORKER_PROVISIONING_TIMEOUT_SECONDS).`,
  );
