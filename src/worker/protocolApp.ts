// What every program that speaks the worker protocol shares: a token before all routes, bodies that are read by the routes
// themselves, and answers for what goes wrong.
import { timingSafeEqual } from 'node:crypto';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { Refusal } from '../errors/index.ts';
import type { Log } from '../observability/index.ts';
import { parseExactly } from '../runtimes/index.ts';
import type { PlainAnswer } from './heartbeat.ts';
import { invalid, WorkerRefused } from './refused.ts';

export interface ProtocolAppParts {
  readonly token: string | null;
  readonly log: Log;
}

const maxManifestBytes = 16 * 1024 * 1024;

const unused = (): never => {
  throw new Error('A route of the worker has a schema.');
};
/** Unless these are given, the framework loads a hundred files of compilers that routes without schemas do not need. */
const noCompilers = { compilersFactory: { buildValidator: unused, buildSerializer: unused } };

export function createProtocolApp({ token, log }: ProtocolAppParts): FastifyInstance {
  const app = fastify({
    bodyLimit: maxManifestBytes,
    schemaController: noCompilers,
    frameworkErrors(_error, _request, reply) {
      reply.raw.writeHead(400, { 'content-type': 'application/json' }).end('{"detail":"The address is malformed."}');
    },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));

  app.addHook('onRequest', async (request) => {
    if (token !== null) checkToken(request.headers.authorization, token);
  });

  app.setErrorHandler((error, _request, reply) => {
    const { status, body, retryAfterSeconds } = answerOf(error, log);
    if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
    return reply.code(status).send(body);
  });
  app.setNotFoundHandler((request, reply) => {
    if (!app.hasRoute({ method: 'POST', url: request.url })) return reply.code(404).send({ detail: 'Not Found' });
    return reply.code(405).header('allow', 'POST').send({ detail: 'Method Not Allowed' });
  });
  return app;
}

/** Aborted when the connection of the caller is closed. */
export function hungUp(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  if (reply.raw.destroyed) gone.abort();
  return gone.signal;
}

/** Left open when the reader stops early: the answer still has to be sent on its connection. */
export const piecesOf = (request: FastifyRequest): AsyncIterable<Buffer> =>
  request.raw.iterator({ destroyOnReturn: false });

function checkToken(header: string | undefined, token: string): void {
  const given = /^Bearer (.+)$/i.exec(header ?? '')?.[1];
  if (given === undefined)
    throw new WorkerRefused(401, { detail: 'This worker wants a token: send `Authorization: Bearer <token>`.' });
  const [ours, theirs] = [Buffer.from(token), Buffer.from(given.trim())];
  if (ours.length !== theirs.length || !timingSafeEqual(ours, theirs))
    throw new WorkerRefused(401, { detail: 'The token is not the one of this worker.' });
}

export function answerOf(error: unknown, log: Log): PlainAnswer & { retryAfterSeconds?: number | undefined } {
  if (error instanceof WorkerRefused) return error;
  if (error instanceof Refusal)
    return { status: error.kind === 'too_large' ? 413 : 400, body: { detail: error.detail } };
  log.error('A request failed', { error });
  return { status: 500, body: { detail: 'Internal Server Error' } };
}

export async function jsonBody(request: FastifyRequest): Promise<unknown> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of piecesOf(request)) {
    size += piece.length;
    if (size > maxManifestBytes)
      throw new WorkerRefused(413, { detail: `A manifest has at most ${maxManifestBytes} bytes.` });
    pieces.push(piece);
  }
  return jsonOf(Buffer.concat(pieces).toString());
}

export function jsonOf(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    throw invalid('The body is not JSON.');
  }
}
