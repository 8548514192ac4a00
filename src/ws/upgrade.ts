// Upgrades to sockets. A refusal is a bare HTTP status without a reason, so that it tells nobody what failed; and as this
// version opens no sessions, there is none that a socket could belong to.
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { requestIdOf } from '../http/index.ts';

export function refuseUpgrades(server: Server): void {
  server.on('upgrade', (request, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    const headers = ['Content-Length: 0', `X-Request-ID: ${requestIdOf(request)}`, 'Connection: close'];
    socket.end(`HTTP/1.1 403 Forbidden\r\n${headers.join('\r\n')}\r\n\r\n`, 'latin1');
  });
}
