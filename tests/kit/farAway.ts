// A way to a server that takes time, as from another continent: every byte arrives later, in its order, in both directions.
import net from 'node:net';
import type { Duplex } from 'node:stream';

export interface FarAway extends AsyncDisposable {
  readonly address: string;
}

export async function farAway(address: string, milliseconds: number): Promise<FarAway> {
  const { hostname, port } = new URL(address);
  const open = new Set<Duplex>();

  function later(from: net.Socket, to: net.Socket): void {
    const soon = (call: () => void): void => void setTimeout(call, milliseconds);
    from.on('data', (piece) => soon(() => to.write(piece)));
    from.on('end', () => soon(() => to.end()));
    from.on('error', () => to.destroy());
    from.on('close', () => {
      open.delete(from);
      soon(() => to.destroy());
    });
  }

  const server = net.createServer((near) => {
    const far = net.connect(Number(port), hostname);
    for (const socket of [near, far]) open.add(socket.setNoDelay());
    later(near, far);
    later(far, near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise<unknown>((resolve) => server.close(resolve));
    },
  };
}
