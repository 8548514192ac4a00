import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { listening } from './listening.ts';

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: Record<string, string>;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export async function recorder(
  context: TestContext,
  /** `cut`: the connection breaks instead. */
  answer: (call: Call) => { status?: number; body?: string; cut?: boolean } = () => ({}),
) {
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://x');
    const call = {
      method: request.method ?? '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body: await buffer(request),
    };
    calls.push(call);
    const { status = 200, body = '{"ok":true}', cut = false } = answer(call);
    if (cut) request.socket.destroy();
    else response.writeHead(status).end(body);
  });
  const at = await listening(context, server);
  return { calls, base: at };
}
