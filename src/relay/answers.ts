// What a relay asks of a worker: each request is put to the worker's own server, and the answer goes back over whatever line
// there is by then.
import http, { type ClientRequest } from 'node:http';
import { WebSocket } from 'ws';
import { passOn } from './flow.ts';
import { pieces, type Received } from './frames.ts';

export interface Answers {
  take(message: Received | undefined): void;
  /** Answers go this way from now on. `relay` names who asks there: what another asked has no answer any more. */
  connected(line: WebSocket, relay: string | undefined): void;
  /** The line is gone. What had not come whole never will; the rest waits for the next line, though not for ever. */
  disconnected(line: WebSocket): void;
}

type RequestMessage = Extract<Received, { type: 'request' }>;

interface Running {
  /** Undefined for what is no request of HTTP. */
  readonly request: ClientRequest | undefined;
  isSent: boolean;
  /** Nobody waits for the answer any more. */
  isGone: boolean;
}

/** `target`: the socket file on which the worker's own server listens. */
export function createAnswers(target: string, graceMilliseconds: number): Answers {
  const running = new Map<number, Running>();
  let line: WebSocket | undefined;
  let asking: string | undefined;
  /** Runs while there is no line. */
  let lonely: NodeJS.Timeout | undefined;
  /** Answers wait here while there is no line. */
  const waiting: (() => void)[] = [];

  async function send(one: Pick<Running, 'isGone'>, data: string | Buffer): Promise<void> {
    while (!one.isGone && line?.readyState !== WebSocket.OPEN)
      await new Promise<void>((resolve) => waiting.push(resolve));
    const socket = line;
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
    if (message.type === 'piece' && one.request && line) passOn(message.bytes, one.request, line);
    if (message.type === 'end') {
      one.isSent = true;
      one.request?.end();
    }
    if (message.type === 'abort') drop((other) => other === one);
  }

  return {
    take,
    connected(found, relay) {
      clearTimeout(lonely);
      lonely = undefined;
      // Its ids mean other requests.
      if (relay === undefined || relay !== asking) drop(() => true);
      asking = relay;
      line = found;
      for (const wake of waiting.splice(0)) wake();
    },
    disconnected(lost) {
      if (line === lost) line = undefined;
      drop(({ isSent }) => !isSent);
      // Longer than this no relay waits.
      lonely ??= setTimeout(() => drop(() => true), graceMilliseconds).unref();
    },
  };
}
