// A way to a server that can fall silent: connections are taken and kept, and nothing passes any more.
import { once } from 'node:events';
import net from 'node:net';
import type { ObjectStore } from './objectStores.ts';

export interface Gate extends AsyncDisposable {
  readonly port: number;
  /** Nothing that comes is passed on, and nothing that the server says. */
  silence(): void;
  /** The same once so many bytes of the server have passed. */
  silenceAfter(bytes: number): void;
  speak(): void;
  /** Whoever speaks next is cut off unheard, once: as a server does that closes a connection which was idle for long. */
  cutOnce(): void;
}

export async function startGate(target: number): Promise<Gate> {
  const sockets = new Set<net.Socket>();
  let left = Number.POSITIVE_INFINITY;
  let cutsNext = false;
  const server = net.createServer((client) => {
    const upstream = net.connect(target, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => sockets.delete(socket));
    }
    client.on('data', (data) => {
      if (cutsNext) client.resetAndDestroy();
      else if (left > 0) upstream.write(data);
      cutsNext = false;
    });
    upstream.on('data', (data) => {
      if (left > 0) client.write(data);
      left -= data.length;
    });
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => left > 0 && client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The gate has no port.');
  return {
    port: address.port,
    silence: () => {
      left = 0;
    },
    silenceAfter: (bytes) => {
      left = bytes;
    },
    speak: () => {
      left = Number.POSITIVE_INFINITY;
    },
    cutOnce: () => {
      cutsNext = true;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The way to an object store as its clients are told of it. */
export async function gateTo(objects: ObjectStore): Promise<Gate & Pick<ObjectStore, 'env' | 'settings'>> {
  const [, port = ''] = /127\.0\.0\.1:(\d+)/.exec(Object.values(objects.settings).join()) ?? [];
  const gate = await startGate(Number(port));
  const through = (variables: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, value.replace(`:${port}`, `:${gate.port}`)]),
    );
  return { ...gate, env: through(objects.env), settings: through(objects.settings) };
}
