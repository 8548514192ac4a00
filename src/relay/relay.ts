// The relay: workers dial in at `/w/<name>`, and whoever asks `/w/<name>/…` over HTTP asks that worker.
import { timingSafeEqual } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDialled } from './dialled.ts';

export interface RelayOptions {
  readonly host: string;
  readonly port: number;
  /** What workers present when they dial in; null: nothing. */
  readonly token: string | null;
  /** How long a worker may be away before its requests fail. */
  readonly graceSeconds: number;
}

export interface RunningRelay {
  readonly address: string;
  close(): Promise<void>;
}

export async function startRelay({ host, port, token, graceSeconds }: RelayOptions): Promise<RunningRelay> {
  const workers = createDialled({
    mayDial: (_name, authorization) => token === null || isToken(authorization, token),
    graceSeconds,
  });
  const server = http.createServer((request, response) => void workers.pass(request, response));
  server.on('upgrade', workers.upgrade);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    address: addressOf(server.address(), host),
    async close() {
      workers.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

export function isToken(header: string | undefined, token: string): boolean {
  const [given, wanted] = [Buffer.from(header ?? ''), Buffer.from(`Bearer ${token}`)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function addressOf(bound: AddressInfo | string | null, host: string): string {
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
