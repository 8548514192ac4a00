// Hands a request on to another server of the same service, as it came, and its answer back. Both know the same callers: the other
// one asks for credentials itself.
import http, { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { pipeline } from 'node:stream';
import { json } from 'node:stream/consumers';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal, refusals } from '../errors/index.ts';
import type { HeldElsewhere, Homes } from '../nodes/index.ts';

/** On a request that another server has handed on: it goes no further. */
const mark = 'x-svc-forwarded';
export const wasForwarded = (headers: IncomingHttpHeaders): boolean => headers[mark] !== undefined;
export const asForwarded = { [mark]: '1' };

/** They are about one connection. */
const ofConnection = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding']);

const connections = { http: new http.Agent({ keepAlive: true }), https: new https.Agent({ keepAlive: true }) };

/** Carried out twice they do what they do once. */
const repeatable = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

const lookMilliseconds = 2000;

/** A server that neither answers nor hangs up may be paused: it is asked for no longer than it has the notebook. */
export function endWhenGone(asked: ClientRequest, isThere: () => Promise<boolean>): void {
  const looking = setInterval(async () => {
    if (!(await isThere())) asked.destroy(serverAway());
  }, lookMilliseconds);
  for (const event of ['response', 'upgrade', 'close'] as const) asked.once(event, () => clearInterval(looking));
}

/** Before its body is read, or after it was read as JSON. */
export async function forward(
  request: FastifyRequest,
  reply: FastifyReply,
  { server, directory }: HeldElsewhere,
  homes: Pick<Homes, 'isAt'>,
): Promise<FastifyReply> {
  const body = request.body === undefined ? undefined : JSON.stringify(request.body);
  const answer = await ask(request.raw, server, { body, id: request.id, isThere: () => homes.isAt(server, directory) });
  reply.code(answer.statusCode ?? 502);
  for (const [name, value] of Object.entries(answer.headers))
    if (value !== undefined && !ofConnection.has(name)) reply.header(name, value);
  return reply.send(answer);
}

/** What another server answers to the same request, which it hands on to nobody. */
export async function alsoAt(request: FastifyRequest, server: string): Promise<{ status: number; body: unknown }> {
  const body = JSON.stringify(request.body ?? {});
  const answer = await ask(request.raw, server, { body, id: request.id, isThere: async () => true });
  return { status: answer.statusCode ?? 502, body: await json(answer) };
}

interface Asked {
  readonly body: string | undefined;
  readonly id: string;
  readonly isThere: () => Promise<boolean>;
}

function ask(request: IncomingMessage, server: string, { body, id, isThere }: Asked): Promise<IncomingMessage> {
  const own = Object.entries(request.headers).filter(([name]) => !ofConnection.has(name) && name !== 'content-length');
  const length = body === undefined ? request.headers['content-length'] : Buffer.byteLength(body);
  const headers = {
    ...Object.fromEntries(own),
    ...(length === undefined ? {} : { 'content-length': length }),
    'x-request-id': id,
    ...asForwarded,
  };
  return new Promise((resolve, reject) => {
    const { method = 'GET' } = request;
    const mayRepeat = repeatable.has(method);
    // What was sent on a connection that was kept may have met its end: a new one tells whether it was taken.
    const agentOf = (kept: http.Agent): { agent: http.Agent | false } => ({ agent: mayRepeat && kept });
    const options = { method, headers };
    const sent = server.startsWith('https:')
      ? https.request(`${server}${request.url}`, { ...options, ...agentOf(connections.https) })
      : http.request(`${server}${request.url}`, { ...options, ...agentOf(connections.http) });
    endWhenGone(sent, isThere);
    sent.once('response', resolve);
    let isReached = false;
    sent.once('socket', (socket) => {
      socket.once('connect', () => {
        isReached = true;
      });
    });
    sent.once('error', () => reject(isReached && !mayRepeat ? refusals.outcomeUnknown() : serverAway()));
    if (body !== undefined) sent.end(body);
    else pipeline(request, sent, (error) => error && sent.destroy());
  });
}

const serverAway = (): Refusal =>
  new Refusal(
    'unavailable',
    'The server that has this notebook open does not answer; another takes over within 15 seconds.',
    {
      retryAfterSeconds: 2,
    },
  );
