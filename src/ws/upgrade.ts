// Upgrades to sockets. A refusal is a bare HTTP status without a reason, so that it tells nobody what failed; and as this
// version opens no sessions, there is none that a socket could belong to.
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';

export function refuseUpgrades(server: Server): void {
  server.on('upgrade', (_request, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  });
}
