// The sockets of workers that dialled in, by name: whoever asks `/w/<name>/…` over HTTP asks that worker. Bytes are passed on
// and none are kept. A request that a worker has whole outlives a broken connection, if the same worker comes back in time.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { keepAlive } from './alive.ts';
import { passOn } from './flow.ts';
import {
  instanceHeader,
  maxMessageBytes,
  pieces,
  type Received,
  received,
  relayHeader,
  subprotocol,
} from './frames.ts';

export interface DialledOptions {
  /** Whether a worker may dial in under this name with what it shows as its authorization. */
  readonly mayDial: (name: string, authorization: string | undefined) => boolean;
  /** How long a worker may be away before its requests fail. */
  readonly graceSeconds: number;
  readonly onConnected?: (name: string) => void;
  readonly onGone?: (name: string) => void;
}

export interface Dialled {
  /** Puts a request for `/w/<name>/…` to that worker. */
  pass(request: IncomingMessage, response: ServerResponse): Promise<void>;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  isConnected(name: string): boolean;
  close(): void;
}

interface Pending {
  readonly response: ServerResponse;
  /** The worker has all of the request. */
  isSent: boolean;
}

interface Line {
  readonly instance: string;
  readonly pending: Map<number, Pending>;
  socket: WebSocket | undefined;
  grace: NodeJS.Timeout | undefined;
}

const place = /^\/w\/([A-Za-z0-9][A-Za-z0-9._-]*)(\/[^?]*)?(?:\?(.*))?$/;

export function createDialled({ mayDial, graceSeconds, onConnected, onGone }: DialledOptions): Dialled {
  const lines = new Map<string, Line>();
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    handleProtocols: (offered) => (offered.has(subprotocol) ? subprotocol : false),
  });
  const instance = crypto.randomUUID();
  sockets.on('headers', (headers) => headers.push(`${relayHeader}: ${instance}`));
  let lastId = 0;

  function fail(line: Line, text: string, which: (pending: Pending) => boolean = () => true): void {
    for (const [id, pending] of line.pending) {
      if (!which(pending)) continue;
      line.pending.delete(id);
      if (pending.response.headersSent) pending.response.destroy();
      else refuse(pending.response, 502, text);
    }
  }

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, name = '', path = '/', query = ''] = place.exec(request.url ?? '') ?? [];
    const line = lines.get(name);
    const socket = line?.socket;
    if (!line || !socket) return refuse(response, 503, `The worker ${name} is not connected to this relay.`);
    lastId = (lastId % (2 ** 32 - 1)) + 1;
    const id = lastId;
    const pending: Pending = { response, isSent: false };
    line.pending.set(id, pending);
    response.on('close', () => {
      if (line.pending.delete(id)) line.socket?.send(JSON.stringify({ type: 'abort', id }));
    });
    const headers = Object.entries(request.headers).map(([key, value]) => [key, String(value)]);
    socket.send(JSON.stringify({ type: 'request', id, method: request.method, path, query, headers }));
    try {
      for await (const chunk of request.iterator({ destroyOnReturn: false }))
        for (const piece of pieces(id, chunk)) await sent(socket, piece);
      await sent(socket, JSON.stringify({ type: 'end', id }));
      pending.isSent = true;
    } catch {
      // The connection broke, or the client went away: both are told elsewhere.
    }
  }

  function take(line: Line, message: Received | undefined): void {
    if (!message || message.type === 'awaited') return;
    const pending = line.pending.get(message.id);
    if (!pending) return;
    const { response } = pending;
    if (message.type === 'response' && !response.headersSent) {
      try {
        const kept = message.headers.filter(([name]) => !/^(connection|keep-alive|transfer-encoding)$/i.test(name));
        response.writeHead(message.status, Object.fromEntries(kept));
      } catch {
        line.pending.delete(message.id);
        refuse(response, 502, 'The worker sent headers that are none.');
      }
    } else if (message.type === 'piece' && response.headersSent) {
      if (line.socket) passOn(message.bytes, response, line.socket);
    } else if (message.type === 'end' && response.headersSent) {
      line.pending.delete(message.id);
      response.end();
    } else {
      // It gives up, or says things in no order.
      line.pending.delete(message.id);
      if (response.headersSent) response.destroy();
      else refuse(response, 502, 'The worker broke off.');
    }
  }

  function admit(name: string, instance: string, socket: WebSocket): void {
    const before = lines.get(name);
    clearTimeout(before?.grace);
    before?.socket?.terminate();
    // Another process under the same name knows nothing of what was asked before.
    const line: Line =
      before?.instance === instance ? before : { instance, pending: new Map(), socket: undefined, grace: undefined };
    if (before && before !== line) fail(before, `The worker ${name} was replaced by another.`);
    line.socket = socket;
    keepAlive(socket);
    lines.set(name, line);
    // What was on its way when a connection broke is lost on either side: both go on with what both know of.
    socket.send(JSON.stringify({ type: 'awaited', ids: [...line.pending.keys()] }));
    socket.on('message', (data, isBinary) => take(line, received(data, isBinary)));
    socket.on('error', () => socket.terminate());
    onConnected?.(name);
    socket.on('close', () => {
      if (line.socket !== socket) return;
      line.socket = undefined;
      onGone?.(name);
      fail(
        line,
        `The connection to the worker ${name} broke.`,
        ({ isSent, response }) => !isSent || response.headersSent,
      );
      line.grace = setTimeout(() => {
        fail(line, `The worker ${name} did not come back.`);
        if (lines.get(name) === line) lines.delete(name);
      }, graceSeconds * 1000).unref();
    });
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const [, name, path] = place.exec(request.url ?? '') ?? [];
    if (name === undefined || path !== undefined) turnAway(socket, '404 Not Found');
    else if (!mayDial(name, request.headers.authorization)) turnAway(socket, '401 Unauthorized');
    else {
      const instance = String(request.headers[instanceHeader] ?? crypto.randomUUID());
      sockets.handleUpgrade(request, socket, head, (opened) => admit(name, instance, opened));
    }
  }

  return {
    pass,
    upgrade,
    isConnected: (name) => lines.get(name)?.socket !== undefined,
    close() {
      for (const line of lines.values()) {
        clearTimeout(line.grace);
        line.socket?.terminate();
      }
    },
  };
}

/** Waits until the socket has taken it, so that a slow worker slows its caller down. */
const sent = (socket: WebSocket, data: string | Buffer): Promise<void> =>
  new Promise((resolve, reject) => socket.send(data, (error) => (error ? reject(error) : resolve())));

function refuse(response: ServerResponse, status: number, detail: string): void {
  response.writeHead(status, { 'content-type': 'application/json', ...(status === 503 ? { 'retry-after': '5' } : {}) });
  response.end(JSON.stringify({ detail }));
}

const turnAway = (socket: Duplex, status: string): void =>
  void socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
