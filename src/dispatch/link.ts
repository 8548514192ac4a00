// The way to workers that dialled in. Each shows a token that this dispatcher alone can make for it, and is asked with the same
// one; nobody else can ask them, for what passes requests on listens on a socket of this user's.
import { createHmac } from 'node:crypto';
import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import http, { type IncomingMessage } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createDialled, isToken } from '../relay/index.ts';

export interface Link {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  tokenOf(batch: string): string;
  isConnected(name: string): boolean;
  /** Throws where the worker is not there, or goes before it has answered. */
  ask(name: string, request: LinkRequest): Promise<IncomingMessage>;
  close(): Promise<void>;
}

export interface LinkRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A file, sent as the body. */
  readonly file?: string;
  readonly signal: AbortSignal;
}

export interface LinkParts {
  readonly secret: string;
  readonly onConnected: (name: string) => void;
  readonly onGone: (name: string) => void;
}

/** `<batch>-<number>` */
export const batchOf = (name: string): string => name.slice(0, name.lastIndexOf('-'));

/** All that is asked of workers can be asked again: what a broken connection cut off is not waited for. */
const graceSeconds = 1;

export async function createLink({ secret, onConnected, onGone }: LinkParts): Promise<Link> {
  const tokenOf = (batch: string): string => createHmac('sha256', secret).update(batch).digest('hex');
  const workers = createDialled({
    mayDial: (name, authorization) => isToken(authorization, tokenOf(batchOf(name))),
    graceSeconds,
    onConnected,
    onGone,
  });
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'svc-dispatch-'));
  const socketPath = path.join(folder, 'workers');
  const server = http.createServer({ requestTimeout: 0 }, (request, response) => void workers.pass(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socketPath, resolve);
  });
  const agent = new http.Agent({ keepAlive: true });

  return {
    upgrade: workers.upgrade,
    tokenOf,
    isConnected: workers.isConnected,
    ask(name, { method, path: route, headers = {}, file, signal }) {
      return new Promise((resolve, reject) => {
        const authorization = `Bearer ${tokenOf(batchOf(name))}`;
        const request = http.request(
          { socketPath, agent, method, path: `/w/${name}${route}`, headers: { ...headers, authorization }, signal },
          resolve,
        );
        request.on('error', reject);
        if (file === undefined) request.end();
        else pipeline(createReadStream(file), request).catch(reject);
      });
    },
    async close() {
      workers.close();
      agent.destroy();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await fs.rm(folder, { recursive: true, force: true });
    },
  };
}
