// A client of one tenant: connections that are kept, every answer held against the description, refusals counted.
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { asserted } from '../kit/service.ts';
import type { Documented } from './documented.ts';
import { blame, count, type Ledger } from './ledger.ts';

export interface Received {
  readonly status: number;
  readonly bytes: Buffer;
  readonly headers: http.IncomingHttpHeaders;
}

export interface Asked {
  readonly json?: unknown;
  readonly body?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** Reads the body so many bytes a second. */
  readonly bytesPerSecond?: number;
}

export interface Client {
  readonly headers: Readonly<Record<string, string>>;
  ask(method: string, path: string, asked?: Asked): Promise<Received>;
  /** The same, tried again for as long as it is told to come back later, or that it took too long; rejects for any other refusal. */
  done(method: string, path: string, asked?: Asked): Promise<Received>;
  /** How often it was told to come back later. */
  refusals(): number;
  close(): void;
}

const scopes = 'notebook:read notebook:write notebook:execute artifacts:read artifacts:write artifacts:publish';

export interface ClientOptions {
  readonly address: string;
  readonly tenant: string;
  readonly principal: string;
  readonly ledger: Ledger;
  documented(): Documented | undefined;
  /** Whether the load goes on: a client that waits for its turn is not held up at the end. */
  isOver(): boolean;
}

export function createClient({ address, tenant, principal, ledger, documented, isOver }: ClientOptions): Client {
  const headers = asserted({ principal, tenant, scopes });
  const agent = new http.Agent({ keepAlive: true });
  let refusals = 0;

  const send = (method: string, path: string, whole: Asked): Promise<Received> =>
    new Promise((resolve, reject) => {
      const { json, body, bytesPerSecond, ...asked } = whole;
      const sent = json === undefined ? body : JSON.stringify(json);
      const type = json === undefined ? {} : { 'content-type': 'application/json' };
      const request = http.request(
        `${address}${path}`,
        { method, agent, headers: { ...headers, ...type, ...asked.headers } },
        async (response) => {
          try {
            const chunks: Buffer[] = [];
            for await (const chunk of response) {
              chunks.push(chunk);
              if (bytesPerSecond !== undefined) await pause((chunk.length / bytesPerSecond) * 1000);
              // Who reads slowly would hold up the end: it leaves, as such readers do.
              if (bytesPerSecond !== undefined && isOver()) throw new Error('left before the end');
            }
            resolve({ status: response.statusCode ?? 0, bytes: Buffer.concat(chunks), headers: response.headers });
          } catch (error) {
            reject(error);
          }
        },
      );
      request.on('error', (error: NodeJS.ErrnoException) =>
        // The server closed a connection that nobody had used for a while, just when it was taken again.
        request.reusedSocket && error.code === 'ECONNRESET'
          ? resolve(send(method, path, whole))
          : reject(new Error(`${method} on a ${request.reusedSocket ? 'kept' : 'new'} connection: ${error.message}`)),
      );
      request.end(sent);
    });

  async function ask(method: string, path: string, asked: Asked = {}): Promise<Received> {
    const received = await send(method, path, asked);
    const objection = documented()?.objection(method, path, received.status);
    if (objection !== undefined) blame(ledger, `${objection}: ${received.bytes.toString('utf8', 0, 200)}`);
    if (received.status === 504) count(ledger, 'told that it took too long (504)');
    if (received.status === 429 || received.status === 503) {
      count(ledger, `told to come back later (${received.status})`);
      refusals += 1;
      if (received.headers['retry-after'] === undefined)
        blame(ledger, `${received.status} of ${method} without Retry-After`);
    }
    return received;
  }

  return {
    headers,
    refusals: () => refusals,
    ask,
    async done(method, path, asked) {
      for (;;) {
        const received = await ask(method, path, asked);
        if (received.status === 200) return received;
        if (![429, 503, 504].includes(received.status) || isOver())
          throw new Error(`${method} ${path} answered ${received.status}: ${received.bytes.toString('utf8', 0, 200)}`);
        await pause(Number(received.headers['retry-after'] ?? 1) * 1000);
      }
    },
    close: () => agent.destroy(),
  };
}
