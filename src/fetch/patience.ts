// An endpoint that accepts and never answers must not hold whoever asked. The clients of the three object stores share no
// setting for that (one of them has none at all), so every HTTP request that any of them makes within `inTime`, those for
// tokens included, is followed here: how long it connects, and how long the other side is silent.
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Settings } from '../settings/index.ts';

export interface Patience {
  readonly connectSeconds: number;
  /** How long nothing at all may come or go. */
  readonly requestSeconds: number;
}

export const patienceOf = (
  settings: Pick<Settings, 's3ConnectTimeoutSeconds' | 's3RequestTimeoutSeconds'>,
): Patience => ({
  connectSeconds: settings.s3ConnectTimeoutSeconds,
  requestSeconds: settings.s3RequestTimeoutSeconds,
});

export class StoreSilent extends Error {
  override name = 'StoreSilent';
}

interface Watch {
  readonly patience: Patience;
  readonly stopping: AbortController;
  readonly lost: PromiseWithResolvers<never>;
  /** What is read once the answer has begun. Whoever reads may take any time; the store may not. */
  body?: Readable;
}

const watches = new AsyncLocalStorage<Watch>();
let isFollowing = false;

/** Rejects with StoreSilent when a request of the work goes nowhere. The signal tells the work to stop; not all clients can. */
export async function inTime<T>(patience: Patience, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  if (!isFollowing) subscribe('http.client.request.created', follow);
  isFollowing = true;
  const watch: Watch = { patience, stopping: new AbortController(), lost: Promise.withResolvers() };
  watch.lost.promise.catch(() => {});
  const answer = watches.run(watch, work, watch.stopping.signal);
  answer.catch(() => {});
  const given = await Promise.race([answer, watch.lost.promise]);
  if (given instanceof Readable) watch.body = given;
  return given;
}

/** Each step of the list in time. */
export async function* eachInTime<T>(patience: Patience, list: AsyncIterable<T>): AsyncIterable<T> {
  const steps = list[Symbol.asyncIterator]();
  for (;;) {
    const step = await inTime(patience, () => steps.next());
    if (step.done) return;
    yield step.value;
  }
}

function follow(message: unknown): void {
  const watch = watches.getStore();
  const request = Object(message).request;
  if (!watch || !(request instanceof ClientRequest)) return;
  const { signal } = watch.stopping;
  // A client that tries again is no longer waited for, but it may take back what it had begun.
  if (signal.aborted && request.method !== 'DELETE') {
    process.nextTick(() => request.destroy(signal.reason));
    return;
  }
  const giveUp = (reason: string): void => {
    const silent = new StoreSilent(reason);
    watch.stopping.abort(silent);
    watch.lost.reject(silent);
    request.destroy(silent);
    watch.body?.destroy(silent);
  };
  const { connectSeconds, requestSeconds } = watch.patience;
  request.once('socket', (socket) => {
    if (socket.connecting)
      connecting(socket, connectSeconds, () =>
        giveUp(`The object store could not be connected to in ${connectSeconds} s.`),
      );
  });
  // Not every client tells whoever reads that the connection broke.
  request.once('response', (response) => {
    response.once('close', () => {
      if (!response.complete) watch.body?.destroy(new StoreSilent('The object store broke off.'));
    });
  });
  request.setTimeout(requestSeconds * 1000);
  request.on('timeout', () => {
    const isSlowReader = watch.body !== undefined && watch.body.readableLength > 0;
    if (isSlowReader) request.socket?.setTimeout(requestSeconds * 1000);
    else giveUp(`The object store said nothing for ${requestSeconds} s.`);
  });
}

function connecting(socket: Socket, seconds: number, giveUp: () => void): void {
  const timer = setTimeout(giveUp, seconds * 1000);
  const done = (): void => clearTimeout(timer);
  socket.once('connect', done);
  socket.once('close', done);
}
