// What a worker starts with: a server that says how it is. What runs cells is loaded when somebody has asked that, who will
// soon send a cell, or has sent one.
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { Log } from '../observability/index.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface FrontParts {
  /** `complete` waits for what takes a while to find out. */
  readonly health: (options: { readonly complete: boolean }) => Promise<object>;
  readonly load: () => Promise<Handler>;
  readonly log: Log;
}

const keepAliveMilliseconds = 72_000;

export function createFront({ health, load, log }: FrontParts): http.Server {
  const fail = (response: ServerResponse, error: unknown): void => {
    log.error('A request failed', { error });
    answer(response, 500, { detail: 'Internal Server Error' });
  };

  async function tellHealth(request: IncomingMessage, response: ServerResponse, query: string): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return answer(response, 405, { detail: 'Method Not Allowed' }, { allow: 'GET' });
    answer(response, 200, await health({ complete: new URLSearchParams(query).get('complete') === 'true' }));
  }

  const server = http.createServer(
    {
      // A machine that lost its power hangs up on nobody: the kernel finds out.
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
      keepAliveTimeout: keepAliveMilliseconds,
      // Inputs take as long as they take.
      requestTimeout: 0,
    },
    (request, response) => {
      const [path = '', query = ''] = (request.url ?? '').split('?', 2);
      if (path === '/health') tellHealth(request, response, query).catch((error) => fail(response, error));
      else
        load().then(
          (handle) => handle(request, response),
          (error) => fail(response, error),
        );
    },
  );
  return server;
}

function answer(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  const text = JSON.stringify(body);
  response
    .writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
      ...headers,
    })
    .end(text);
}
