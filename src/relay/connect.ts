// A worker that nobody can reach dials out: requests come over its socket and are put to the worker's own server, answers go
// back the same way. A broken connection is dialled again; a cell that runs meanwhile answers over the next one.
import http, { type ClientRequest } from 'node:http';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type ClientOptions, WebSocket } from 'ws';
import { keepAlive } from './alive.ts';
import { dialThroughFiles } from './exchange.ts';
import { passOn } from './flow.ts';
import {
  graceSeconds,
  instanceHeader,
  maxMessageBytes,
  pieces,
  type Received,
  received,
  relayHeader,
  subprotocol,
} from './frames.ts';

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

type RequestMessage = Extract<Received, { type: 'request' }>;

interface Running {
  /** Undefined for what is no request of HTTP. */
  readonly request: ClientRequest | undefined;
  isSent: boolean;
  /** Nobody waits for the answer any more. */
  isGone: boolean;
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
  const { url, token, target, log, signal, alone } = options;
  const graceMilliseconds = (options.graceSeconds ?? graceSeconds) * 1000;
  const instance = crypto.randomUUID();
  const running = new Map<number, Running>();
  let current: WebSocket | undefined;
  let relay: string | undefined;
  let wasOpen = false;
  /** Runs while there is no connection. */
  let lonely: NodeJS.Timeout | undefined;
  /** Answers wait here while there is no connection. */
  const waiting: (() => void)[] = [];

  async function send(one: Pick<Running, 'isGone'>, data: string | Buffer): Promise<void> {
    while (!one.isGone && current?.readyState !== WebSocket.OPEN)
      await new Promise<void>((resolve) => waiting.push(resolve));
    const socket = current;
    if (one.isGone || !socket) return;
    await new Promise<void>((resolve, reject) => socket.send(data, (error) => (error ? reject(error) : resolve())));
  }

  async function answer(id: number, one: Running, response: http.IncomingMessage): Promise<void> {
    const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
    await send(one, JSON.stringify({ type: 'response', id, status: response.statusCode ?? 502, headers }));
    for await (const chunk of response) for (const piece of pieces(id, chunk)) await send(one, piece);
    await send(one, JSON.stringify({ type: 'end', id }));
  }

  /** Undefined for what is no request of HTTP. */
  function opened({ method, path, query, headers }: RequestMessage): ClientRequest | undefined {
    try {
      return http.request({
        socketPath: target,
        method,
        path: query === '' ? path : `${path}?${query}`,
        headers: Object.fromEntries(headers.filter(([name]) => !/^(connection|transfer-encoding|host)$/i.test(name))),
      });
    } catch {
      return undefined;
    }
  }

  async function fail(id: number, one: Running, status: number): Promise<void> {
    await send(one, JSON.stringify({ type: 'response', id, status, headers: [['content-type', 'text/plain']] }));
    await send(one, JSON.stringify({ type: 'end', id }));
  }

  /** Ends what nobody waits for. */
  function drop(which: (one: Running, id: number) => boolean): void {
    for (const [id, one] of running) {
      if (!which(one, id)) continue;
      one.isGone = true;
      one.request?.destroy();
      running.delete(id);
    }
  }

  function begin(message: RequestMessage): void {
    const { id } = message;
    if (running.has(id)) return;
    const request = opened(message);
    const one: Running = { request, isSent: false, isGone: false };
    running.set(id, one);
    const say = (saying: Promise<void>): void =>
      void saying
        .catch(() => send(one, JSON.stringify({ type: 'abort', id })))
        .catch(() => {})
        .finally(() => running.get(id) === one && running.delete(id));
    let isAnswered = false;
    request?.on('response', (response) => {
      isAnswered = true;
      say(answer(id, one, response));
    });
    request?.on('error', () => {
      if (!isAnswered) say(fail(id, one, 500));
    });
    if (!request) say(fail(id, one, 400));
  }

  /** The relay says what it waits for: the rest ends here, and what is not known here any more has no answer. */
  function agree(ids: readonly number[]): void {
    const awaited = new Set(ids);
    drop((_one, id) => !awaited.has(id));
    for (const id of ids)
      if (!running.has(id)) send({ isGone: false }, JSON.stringify({ type: 'abort', id })).catch(() => {});
  }

  function take(message: Received | undefined): void {
    if (!message) return;
    if (message.type === 'request') begin(message);
    else if (message.type === 'awaited') agree(message.ids);
    else goOn(message);
  }

  function goOn(message: Exclude<Received, RequestMessage | { type: 'awaited' }>): void {
    const one = running.get(message.id);
    if (!one) return;
    // All requests of a socket wait for the slowest, as the protocol has it.
    if (message.type === 'piece' && one.request && current) passOn(message.bytes, one.request, current);
    if (message.type === 'end') {
      one.isSent = true;
      one.request?.end();
    }
    if (message.type === 'abort') drop((other) => other === one);
  }

  async function connection(): Promise<void> {
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
    let found: string | undefined;
    socket.on('upgrade', ({ headers }) => {
      found = headers[relayHeader]?.toString();
    });
    socket.on('open', () => {
      wasOpen = true;
      keepAlive(socket);
      clearTimeout(silent);
      clearTimeout(lonely);
      lonely = undefined;
      // Its ids mean other requests: what was asked by the one before has no answer any more.
      if (found === undefined || found !== relay) drop(() => true);
      relay = found;
      log.info('Connected to the relay');
      current = socket;
      for (const wake of waiting.splice(0)) wake();
    });
    socket.on('message', (data, isBinary) => take(received(data, isBinary)));
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
      if (current === socket) current = undefined;
      // What had not come whole never will.
      drop(({ isSent }) => !isSent);
      // Longer than this no relay waits.
      lonely ??= setTimeout(() => drop(() => true), graceMilliseconds).unref();
    });
  }

  let connectedAt = performance.now();
  for (let longest = 1000; !signal.aborted; ) {
    const begun = performance.now();
    await connection().catch((error: unknown) => {
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
