// The routes of a worker behind its front. Each reads its request, asks the rooms behind it, and answers as the protocol
// says; a token, where there is one, stands before all of them.
import { timingSafeEqual } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { Refusal } from '../errors/index.ts';
import type { Log } from '../observability/index.ts';
import { parseExactly } from '../runtimes/index.ts';
import type { Executing } from './executing.ts';
import { type PlainAnswer, withHeartbeat } from './heartbeat.ts';
import { cellProtocol, executorProtocol } from './protocolNames.ts';
import type { PushForm } from './pushRequest.ts';
import { invalid, WorkerRefused } from './refused.ts';

export interface AppParts {
  readonly executing: Executing;
  readonly token: string | null;
  readonly heartbeatSeconds: number | null;
  readonly log: Log;
}

const maxManifestBytes = 16 * 1024 * 1024;

const unused = (): never => {
  throw new Error('A route of the worker has a schema.');
};
/** Unless these are given, the framework loads a hundred files of compilers that routes without schemas do not need. */
const noCompilers = { compilersFactory: { buildValidator: unused, buildSerializer: unused } };

export function createWorkerApp({ executing, token, heartbeatSeconds, log }: AppParts): FastifyInstance {
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

  const push = (form: PushForm) => async (request: FastifyRequest, reply: FastifyReply) => {
    const pushed = await executing.push(piecesOf(request), {
      contentType: request.headers['content-type'] ?? '',
      form,
      // Nobody else can get this answer: a caller that hangs up has cancelled.
      signal: hungUp(reply),
    });
    reply.raw.once('close', () => void pushed.drop());
    return reply
      .type('application/x-tar')
      .header('content-length', pushed.size)
      .header('x-svc-executor-protocol', executorProtocol)
      .header('x-svc-notebook-executor-protocol', cellProtocol)
      .send(createReadStream(pushed.file));
  };

  app.post('/v1/execute', push('today'));
  app.post('/v1/notebook-execute', push('flat'));
  app.post('/v1/execute-manifest', async (request, reply) => executing.pull(await jsonBody(request), hungUp(reply)));
  app.post('/execute', async (request, reply) => {
    const work = jsonBody(request).then((body) => executing.pull(body, hungUp(reply)));
    if (heartbeatSeconds === null) return work;
    const plain: Promise<PlainAnswer> = work.then(
      (body) => ({ status: 200, body }),
      (error: unknown) => answerOf(error, log),
    );
    const answer = await withHeartbeat(plain, heartbeatSeconds);
    if ('status' in answer) return reply.code(answer.status).send(answer.body);
    return reply.type('application/json').header('x-svc-status-in-body', '1').send(Readable.from(answer));
  });
  app.post<{ Params: { build_id: string } }>('/v1/executions/:build_id/cancel', ({ params: { build_id } }) => ({
    build_id,
    cancelled: executing.cancel(build_id),
  }));
  return app;
}

/** Aborted when the connection of the caller is closed. */
function hungUp(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  if (reply.raw.destroyed) gone.abort();
  return gone.signal;
}

/** Left open when the reader stops early: the answer still has to be sent on its connection. */
const piecesOf = (request: FastifyRequest): AsyncIterable<Buffer> => request.raw.iterator({ destroyOnReturn: false });

function checkToken(header: string | undefined, token: string): void {
  const given = /^Bearer (.+)$/i.exec(header ?? '')?.[1];
  if (given === undefined)
    throw new WorkerRefused(401, { detail: 'This worker wants a token: send `Authorization: Bearer <token>`.' });
  const [ours, theirs] = [Buffer.from(token), Buffer.from(given.trim())];
  if (ours.length !== theirs.length || !timingSafeEqual(ours, theirs))
    throw new WorkerRefused(401, { detail: 'The token is not the one of this worker.' });
}

function answerOf(error: unknown, log: Log): PlainAnswer & { retryAfterSeconds?: number | undefined } {
  if (error instanceof WorkerRefused) return error;
  if (error instanceof Refusal)
    return { status: error.kind === 'too_large' ? 413 : 400, body: { detail: error.detail } };
  log.error('A request failed', { error });
  return { status: 500, body: { detail: 'Internal Server Error' } };
}

async function jsonBody(request: FastifyRequest): Promise<unknown> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of piecesOf(request)) {
    size += piece.length;
    if (size > maxManifestBytes)
      throw new WorkerRefused(413, { detail: `A manifest has at most ${maxManifestBytes} bytes.` });
    pieces.push(piece);
  }
  try {
    return parseExactly(Buffer.concat(pieces).toString());
  } catch {
    throw invalid('The body is not JSON.');
  }
}
