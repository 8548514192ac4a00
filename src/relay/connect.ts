// A worker that nobody can reach dials out: requests come over its socket and are put to the worker's own server, answers go
// back the same way. A broken connection is dialled again; a cell that runs meanwhile answers over the next one.
import http from 'node:http';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type ClientOptions, WebSocket } from 'ws';
import { keepAlive } from './alive.ts';
import { type Answers, createAnswers } from './answers.ts';
import { dialThroughFiles } from './exchange.ts';
import { graceSeconds, instanceHeader, maxMessageBytes, received, relayHeader, subprotocol } from './frames.ts';

export interface ConnectOptions {
  /** `ws://` or `wss://`; or `file://`, of the folder in an exchange that is this worker's. */
  readonly url: string;
  readonly token: string | null;
  /** The socket file on which the worker's own server listens. */
  readonly target: string;
  readonly log: {
    info(message: string): void;
    warning(message: string, fields?: Readonly<Record<string, unknown>>): void;
  };
  readonly signal: AbortSignal;
  /** How long what was asked goes on without a relay; as long as a relay waits, where it is not said. */
  readonly graceSeconds?: number;
  /** Gives up once it has been so long without a relay; undefined: never. */
  readonly alone?: { readonly seconds: number; readonly isBusy: () => boolean } | undefined;
}

/** The relay will not have this worker: trying again would not help. */
export class RelayRefused extends Error {
  override name = 'RelayRefused';
}

const longestPause = 60_000;
/** Neither files nor every proxy tell that nobody is there. */
const silentMilliseconds = 30_000;

function wayTo(url: string): { readonly address: string; readonly way: ClientOptions } {
  if (!url.startsWith('file:')) return { address: url, way: {} };
  const folder = fileURLToPath(url);
  const agent = new http.Agent();
  agent.createConnection = () => dialThroughFiles(folder);
  return {
    address: `ws://exchange/w/${path.basename(folder)}`,
    way: { agent },
  };
}

/** Resolves when the signal ends it or it has been alone for too long; rejects with RelayRefused. */
export async function connectToRelay(options: ConnectOptions): Promise<void> {
  const { log, signal, alone } = options;
  const answers = createAnswers(options.target, (options.graceSeconds ?? graceSeconds) * 1000);
  const instance = crypto.randomUUID();
  let wasOpen = false;
  const onOpen = (): void => {
    wasOpen = true;
    log.info('Connected to the relay');
  };
  let connectedAt = performance.now();
  for (let longest = 1000; !signal.aborted; ) {
    const begun = performance.now();
    await connection(options, instance, answers, onOpen).catch((error: unknown) => {
      if (error instanceof RelayRefused) throw error;
      log.warning('The connection to the relay broke', { error });
    });
    if (signal.aborted) return;
    if (performance.now() - begun > longest) longest = 1000;
    if (wasOpen) connectedAt = performance.now();
    wasOpen = false;
    if (alone && !alone.isBusy() && performance.now() - connectedAt > alone.seconds * 1000) return;
    await pause(longest / 2 + (Math.random() * longest) / 2, undefined, { signal }).catch(() => {});
    longest = Math.min(longest * 2, longestPause);
  }
}

/** One connection, until it is over. */
async function connection(
  { url, token, signal }: ConnectOptions,
  instance: string,
  answers: Answers,
  onOpen: () => void,
): Promise<void> {
  const { address, way } = wayTo(url);
  const socket = new WebSocket(address, [subprotocol], {
    ...way,
    maxPayload: maxMessageBytes,
    headers: { [instanceHeader]: instance, ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
  });
  const end = (): void => socket.close();
  const silent = setTimeout(() => socket.terminate(), silentMilliseconds);
  signal.addEventListener('abort', end, { once: true });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let relay: string | undefined;
  socket.on('upgrade', ({ headers }) => {
    relay = headers[relayHeader]?.toString();
  });
  socket.on('open', () => {
    keepAlive(socket);
    clearTimeout(silent);
    onOpen();
    answers.connected(socket, relay);
  });
  socket.on('message', (data, isBinary) => answers.take(received(data, isBinary)));
  socket.on('unexpected-response', (_request, response) => {
    const status = response.statusCode ?? 0;
    const isFinal = status >= 400 && status < 500 && status !== 408 && status !== 429;
    socket.terminate();
    reject(isFinal ? new RelayRefused(`the relay answered ${status}`) : new Error(`the relay answered ${status}`));
  });
  socket.on('error', (error) =>
    reject(/subprotocol/.test(error.message) ? new RelayRefused(`the relay does not speak ${subprotocol}`) : error),
  );
  socket.on('close', () => resolve());
  await promise.finally(() => {
    clearTimeout(silent);
    signal.removeEventListener('abort', end);
    answers.disconnected(socket);
  });
}
