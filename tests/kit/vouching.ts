// The trusted proxy before a shared server, as one person sees it: it vouches for whoever comes through it.
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type AssertedCaller, asserted } from './service.ts';

/** `to`: where the server is now; it may come back elsewhere. */
export async function vouchingFor(
  caller: AssertedCaller,
  to: () => string,
): Promise<{ readonly address: string } & AsyncDisposable> {
  const open = new Set<Socket>();
  const passed = ({ method, url, headers }: http.IncomingMessage): http.ClientRequest => {
    const { hostname, port } = new URL(to());
    return http.request({ hostname, port, method, path: url, headers: { ...headers, ...asserted(caller) } });
  };
  const proxy = http.createServer((request, response) => {
    const asked = passed(request);
    asked.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    asked.on('error', () => response.headersSent || response.writeHead(502).end());
    request.pipe(asked);
  });
  proxy.on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  proxy.on('upgrade', (request, near: Socket) => {
    const asked = passed(request);
    asked.on('upgrade', ({ statusCode, statusMessage, rawHeaders }, far, head) => {
      const pairs = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}\r\n`] : []));
      near.write(`HTTP/1.1 ${statusCode} ${statusMessage}\r\n${pairs.join('')}\r\n`);
      // The first frames may have come with the answer.
      far.unshift(head);
      near.pipe(far).pipe(near);
      near.on('error', () => far.destroy());
      far.on('error', () => near.destroy());
      far.on('close', () => near.destroy());
    });
    asked.on('response', ({ statusCode }) => near.end(`HTTP/1.1 ${statusCode} Refused\r\nconnection: close\r\n\r\n`));
    asked.on('error', () => near.destroy());
    asked.end();
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
