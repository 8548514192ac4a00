// The Model Context Protocol over HTTP, at `/mcp` and `/mcp/`. Each request speaks for its own caller; the packages behind it
// are loaded by the first.
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Calls } from '../../mcp/index.ts';
import type { App, Services } from '../services.ts';

const sessionHeader = 'mcp-session-id';

export function mcpRoutes(app: App, services: Services): void {
  const { settings, sessions, pythons, hubs, remote, teamStore, dataEngine: data } = services;
  if (!settings.mcpEnabled) return;
  const parts = {
    settings,
    sessions,
    pythons,
    data,
    remote,
    teamStore,
    artifacts: async () => services.artifacts,
    log: services.log,
    broadcast: (sessionId: string, type: string, payload: object) => hubs.of(sessionId).broadcast(type, payload),
  };

  let calls: Calls | undefined;

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const [{ createMcpHandler }, { createAgentServices, createCalls, createMcpServer, isInitialize }] =
      await Promise.all([import('@modelcontextprotocol/server'), import('../../mcp/index.ts')]);
    calls ??= createCalls();
    // A client that keeps the session it is given here can take its calls back.
    if (isInitialize(request.body)) reply.header(sessionHeader, randomUUID());
    const session = request.headers[sessionHeader];
    const client = `${request.caller.principal ?? ''} ${session ?? randomUUID()}`;
    const { signal: takenBack, done } = calls.hear(client, request.body);
    // Whoever went away waits for no answer.
    const gone = new AbortController();
    reply.raw.on('close', () => {
      gone.abort();
      done();
    });
    const unwanted = AbortSignal.any([gone.signal, takenBack]);
    const handler = createMcpHandler(() => createMcpServer(createAgentServices(parts, request.caller), unwanted));
    const { status, headers, body } = await handler.fetch(webRequest(request, gone.signal), {
      parsedBody: request.body,
    });
    reply.code(status);
    for (const [name, value] of headers) reply.header(name, value);
    return reply.send(body ? Readable.fromWeb(body) : null);
  }

  for (const url of ['/mcp', '/mcp/']) {
    app.route({ method: ['GET', 'POST', 'DELETE'], url, schema: { hide: true }, handler: answer });
  }
}

function webRequest(request: FastifyRequest, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  const body = request.method === 'POST' ? { body: JSON.stringify(request.body ?? null) } : {};
  return new Request(new URL(request.url, 'http://localhost'), {
    method: request.method,
    headers,
    signal,
    ...body,
  });
}
