// The way out for workers that reach nobody: they ask whoever takes their lines to connect, as one asks an HTTP proxy.
import http, { type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { connectTo, type NetworkPolicy, type Through, UrlRefused, UrlUnreachable } from '../fetch/index.ts';
import { dialThroughFiles } from '../relay/index.ts';

const statuses = { refused: 403, unreachable: 502 };
const connectMilliseconds = 30_000;
const againMilliseconds = 1000;

/** Whoever takes the lines may be away for a while, to be started anew: it is waited for. */
export function throughFiles(folder: string): Through {
  return async (host, port, signal) => {
    for (;;) {
      const answer = await ask(folder, host, port, signal).catch(() => undefined);
      if (answer) return takenOf(answer);
      signal.throwIfAborted();
      await pause(againMilliseconds, undefined, { signal });
    }
  };
}

interface Answer {
  readonly response: IncomingMessage;
  readonly line: Duplex;
}

function ask(folder: string, host: string, port: number, given: AbortSignal): Promise<Answer> {
  const late = AbortSignal.timeout(connectMilliseconds + againMilliseconds);
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const agent = new http.Agent();
  agent.createConnection = () => dialThroughFiles(folder);
  const request = http.request({
    method: 'CONNECT',
    host: 'exchange',
    path: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
    agent,
  });
  const stop = (): void => void request.destroy();
  const signal = AbortSignal.any([given, late]);
  signal.addEventListener('abort', stop, { once: true });
  request.on('connect', (response, line) => {
    signal.removeEventListener('abort', stop);
    resolve({ response, line });
  });
  request.on('error', reject);
  request.end();
  return promise;
}

function takenOf({ response, line }: Answer): Duplex {
  if (response.statusCode === 200) return line;
  line.destroy();
  const why = decodeURIComponent(response.statusMessage ?? '');
  throw response.statusCode === statuses.refused ? new UrlRefused(why) : new UrlUnreachable(why);
}

/** Carries out what `throughFiles` asks for, by a policy. */
export function takesOutward(policy: NetworkPolicy): (request: IncomingMessage, line: Duplex, head: Buffer) => void {
  return (request, line, head) => {
    line.on('error', () => {});
    const { hostname, port } = URL.parse(`http://${request.url}`) ?? { hostname: '', port: '' };
    const host = hostname.replace(/^\[|\]$/g, '');
    const connecting = async (): Promise<void> => {
      const socket = await connectTo(host, Number(port) || 80, policy, AbortSignal.timeout(connectMilliseconds));
      line.write('HTTP/1.1 200 Connected\r\n\r\n');
      socket.write(head);
      socket.on('error', () => {});
      line.pipe(socket);
      // Whoever said all may close at once: what it said still arrives.
      await pipeline(socket, line).catch(() => {});
      line.destroy();
    };
    connecting().catch((error: unknown) => {
      const status = error instanceof UrlRefused ? statuses.refused : statuses.unreachable;
      const why = encodeURIComponent(error instanceof Error ? error.message : String(error));
      line.end(`HTTP/1.1 ${status} ${why}\r\n\r\n`);
    });
  };
}
