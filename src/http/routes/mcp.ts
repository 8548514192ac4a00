// The Model Context Protocol over HTTP, at `/mcp` and `/mcp/`. Each request speaks for its own caller; the packages behind it
// are loaded by the first.
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { openUrl } from '../../fetch/index.ts';
import { actAs } from '../../identity/index.ts';
import type { Calls } from '../../mcp/index.ts';
import { traceHeaders } from '../../observability/index.ts';
import { createRecentlyUsed } from '../../recentlyUsed.ts';
import { anyCaller } from '../access.ts';
import type { App, Services } from '../services.ts';

const sessionHeader = 'mcp-session-id';
const mostNames = 1000;
const passOnMilliseconds = 10_000;

export function mcpRoutes(app: App, services: Services): void {
  const { settings, sessions, pythons, hubs, remote, teamStore, owners, log, dataEngine: data } = services;
  if (!settings.mcpEnabled) return;
  const parts = {
    settings,
    sessions,
    pythons,
    data,
    remote,
    teamStore,
    artifacts: async () => services.artifacts,
    log,
    activities: services.agents,
    broadcast: (sessionId: string, type: string, payload: object) => hubs.of(sessionId).broadcast(type, payload),
    stand: (sessionId: string, type: string, payload: object, holds: boolean) =>
      hubs.of(sessionId).stand(type, payload, holds),
  };

  let calls: Calls | undefined;
  /** What the programs of agents call themselves, by the sessions that they were given. */
  const names = createRecentlyUsed<string>(mostNames);

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const [{ createMcpHandler }, { createAgentServices, clientOf, createCalls, createMcpServer }] = await Promise.all([
      import('@modelcontextprotocol/server'),
      import('../../mcp/index.ts'),
    ]);
    calls ??= createCalls(owners);
    // As at the routes of artifacts: whoever has read a stream to its end finds its result.
    await services.tables.scans.settled(request.caller.tenant ?? '');
    // A client that keeps the session it is given here can take its calls back.
    const begun = clientOf(request.body);
    if (begun !== undefined) {
      const given = randomUUID();
      reply.header(sessionHeader, given);
      names.set(given, begun);
    }
    const session = request.headers[sessionHeader];
    const name = names.get(String(session)) ?? null;
    const client = `${request.caller.principal ?? ''} ${session ?? randomUUID()}`;
    const { signal: takenBack, done, otherServer } = calls.hear(client, request.body);
    otherServer()
      .then((owner) => (owner === undefined ? undefined : passOn(owner, request)))
      .catch((error: unknown) => log.warning('A call on another server could not be taken back', { error }));
    // Whoever went away waits for no answer.
    const gone = new AbortController();
    reply.raw.on('close', () => {
      gone.abort();
      done();
    });
    const unwanted = AbortSignal.any([gone.signal, takenBack]);
    const handler = createMcpHandler(() => createMcpServer(createAgentServices(parts, request.caller, name), unwanted));
    const asked = webRequest(request, gone.signal);
    const { status, headers, body } = await actAs(request.caller, () =>
      handler.fetch(asked, { parsedBody: request.body }),
    );
    reply.code(status);
    for (const [name, value] of headers) reply.header(name, value);
    return reply.send(body ? Readable.fromWeb(body) : null);
  }

  for (const url of ['/mcp', '/mcp/']) {
    app.route({ method: ['GET', 'POST', 'DELETE'], url, config: anyCaller(), schema: { hide: true }, handler: answer });
  }
}

/** The other server knows the caller by the same headers; where it was asked from was looked at here. */
async function passOn(owner: string, { headers, body }: FastifyRequest): Promise<void> {
  const own = /^(host|origin|connection|keep-alive|content-length|transfer-encoding|accept-encoding|te|upgrade)$/;
  const passed = Object.entries(headers).filter(([name]) => !own.test(name));
  const answer = await openUrl(`${owner}/mcp`, {
    method: 'POST',
    headers: { ...Object.fromEntries(passed.map(([name, value]) => [name, String(value)])), ...traceHeaders() },
    body: JSON.stringify(body),
    policy: { publicOnly: false, allowedHosts: [] },
    signal: AbortSignal.timeout(passOnMilliseconds),
  });
  answer.body.destroy();
  if (answer.status >= 300) throw new Error(`${owner} answered ${answer.status}`);
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
