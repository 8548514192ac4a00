// Hands a socket on to another server of the same service: bytes go through as they come.
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import { asForwarded, endWhenGone } from '../http/index.ts';

export interface Arrived {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

export interface OtherServer {
  readonly server: string;
  readonly isThere: () => Promise<boolean>;
}

/** `refuse`: the other server says no, or does not answer. */
export function forwardSocket(
  { request, socket, head }: Arrived,
  { server, isThere }: OtherServer,
  refuse: (status: string) => void,
): void {
  const send = server.startsWith('https:') ? https.request : http.request;
  const asked = send(`${server}${request.url}`, { headers: { ...request.headers, ...asForwarded } });
  endWhenGone(asked, isThere);
  asked.once('response', ({ statusCode = 502, statusMessage = '' }) => refuse(`${statusCode} ${statusMessage}`));
  asked.once('error', () => refuse('503 Service Unavailable'));
  asked.once('upgrade', (answer, other, otherHead) => {
    const lines = answer.rawHeaders.flatMap((name, at, all) => (at % 2 === 0 ? [`${name}: ${all[at + 1]}`] : []));
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1');
    socket.write(otherHead);
    other.write(head);
    socket.pipe(other).pipe(socket);
    for (const [one, its] of [
      [socket, other],
      [other, socket],
    ] as const) {
      one.once('error', () => its.destroy());
      one.once('close', () => its.destroy());
    }
  });
  socket.once('close', () => asked.destroy());
  asked.end();
}
