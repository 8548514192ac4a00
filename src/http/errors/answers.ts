// The one place where errors become responses: refusals by their kind, schema failures as 422 lists, what the framework
// refuses under the documented status, anything else as a logged 500 that gives nothing away.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { orTrouble, Refusal, type RefusalKind } from '../../errors/index.ts';
import { loggedPath } from '../loggedPath.ts';
import { newRequestId, requestIdOf } from '../requestId.ts';
import type { Services } from '../services.ts';
import { RequestInvalid } from './validation.ts';

const statuses: Readonly<Record<RefusalKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  too_large: 413,
  unprocessable: 422,
  too_many: 429,
  not_offered: 501,
  upstream: 502,
  unavailable: 503,
  timeout: 504,
  fault: 500,
};

/** As proxies count it; no client ever sees it. */
const clientGone = 499;

export function answerErrors(app: FastifyInstance, { log }: Services): void {
  const noteFailure = (what: string, { id, method, url }: FastifyRequest, error: Error): void =>
    log.error(what, { error, request_id: id, method, path: loggedPath(url) });
  app.setErrorHandler((error: FastifyError | Error, request, reply) => {
    const refusal = orTrouble(error);
    if (refusal instanceof Refusal) {
      // What was not meant as a refusal has a reason that only the log may tell.
      if (refusal !== error) noteFailure('Request refused', request, error);
      return answerRefusal(reply, refusal);
    }
    if (error instanceof RequestInvalid) return reply.code(422).send({ detail: error.entries });
    // Whoever asked has gone: nothing failed, and nobody hears the answer.
    if (hasGone(request, error)) return reply.code(clientGone).send();
    const status = 'statusCode' in error ? (error.statusCode ?? 500) : 500;
    if (status < 500) return reply.code(status).send({ detail: detailOf(error) });
    noteFailure('Request failed', request, error);
    return reply.code(500).type('text/plain; charset=utf-8').send('Internal Server Error');
  });
}

/** By the signal of its request, or in the middle of its body. */
const hasGone = ({ signal, raw }: FastifyRequest, error: Error): boolean =>
  error === raw.errored || (signal.aborted && error === signal.reason);

export function answerRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply {
  if (refusal.retryAfterSeconds !== undefined) reply.header('retry-after', String(refusal.retryAfterSeconds));
  return reply.code(statuses[refusal.kind]).send({ detail: refusal.detail });
}

/** A refusal by a gate in front of the routes: text, not JSON, as documented. */
export function answerPlain(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply.code(status).type('text/plain; charset=utf-8').send(text);
}

function detailOf(error: FastifyError | Error): string {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return 'Request body is larger than this route accepts';
  return error.message;
}

/** Requests so malformed that no route was looked up: no hook has run, so what every response carries is added here. */
export function answerMalformed(policy: string) {
  return (_error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    reply.header('content-security-policy', policy);
    void reply.code(400).send({ detail: 'The address has broken percent-encoding or a part that is too long' });
  };
}

/** A request that expects something other than `100-continue`; the platform asks before any route is looked up. */
export function answerExpectation(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(417, {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': requestIdOf(request),
    'x-content-type-options': 'nosniff',
  });
  response.end(JSON.stringify({ detail: 'The only expectation that can be met is 100-continue' }));
}

const garbageStatuses: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/** Bytes that are no request at all; the connection ends with this. */
export function answerGarbage(error: Error, socket: Socket): void {
  if (!socket.writable || ('code' in error && error.code === 'ECONNRESET')) {
    socket.destroy();
    return;
  }
  const status = garbageStatuses['code' in error ? String(error.code) : ''] ?? '400 Bad Request';
  const body = JSON.stringify({ detail: `The request is not valid HTTP: ${error.message}` });
  const headers = [
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-ID: ${newRequestId()}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ];
  socket.end(`HTTP/1.1 ${status}\r\n${headers.join('\r\n')}\r\n\r\n${body}`);
}
