// A small proxy in front of several servers, as operators put one there: each request and socket to the next of them, and to
// another when one does not listen.
import http, { type IncomingMessage } from 'node:http';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import type { TestContext } from 'node:test';
import { listening } from './listening.ts';

const leftAloneMilliseconds = 1000;

/** Its address. */
export async function startBalancer(t: TestContext, ports: readonly number[]): Promise<string> {
  let turn = 0;
  /** Who takes no more work is asked after the others for a moment: it may be about to close its door. */
  const leftAloneUntil = new Map<number, number>();
  const inTurn = (): number[] => {
    turn += 1;
    const isLeftAlone = (port: number): boolean => (leftAloneUntil.get(port) ?? 0) > performance.now();
    const next = ports.map((_port, at) => ports[(at + turn) % ports.length] ?? 0);
    return next.toSorted((one, other) => Number(isLeftAlone(one)) - Number(isLeftAlone(other)));
  };

  function ask(request: IncomingMessage, body: Buffer, port: number): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const { method, url: path, headers } = request;
      http
        .request({ host: '127.0.0.1', port, method, path, headers, agent: false }, resolve)
        .on('error', reject)
        .end(body);
    });
  }

  const proxy = http.createServer(async (request, response) => {
    const parts: Buffer[] = await request.toArray();
    for (const port of inTurn()) {
      try {
        const answer = await ask(request, Buffer.concat(parts), port);
        if (answer.statusCode === 503) leftAloneUntil.set(port, performance.now() + leftAloneMilliseconds);
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
        return;
      } catch (error) {
        // A server that closes its door refuses some who knock, and resets those who already wait there: nobody was heard. As
        // others do, it asks again where that does no harm.
        const wasRefused = error instanceof Error && 'syscall' in error && error.syscall === 'connect';
        if (!wasRefused && request.method === 'POST') {
          response.writeHead(502).end(String(error));
          return;
        }
      }
    }
    response.writeHead(503, { 'retry-after': '1' }).end();
  });

  proxy.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const [first = 0] = inTurn();
    const other = net.connect(first, '127.0.0.1', () => {
      const lines = request.rawHeaders.flatMap((name, at, all) => (at % 2 === 0 ? [`${name}: ${all[at + 1]}`] : []));
      other.write(`GET ${request.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
      other.write(head);
      socket.pipe(other).pipe(socket);
    });
    t.after(() => socket.destroy());
    for (const one of [socket, other]) one.on('error', () => [socket, other].map((each) => each.destroy()));
  });

  return listening(t, proxy);
}
