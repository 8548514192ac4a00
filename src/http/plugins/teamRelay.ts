// Routes that the team's store answers, when there is one: each passes this server's own gates first, then goes there as it
// came and comes back as it was answered.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { detailOf } from '../../artifacts/index.ts';
import type { Services } from '../services.ts';

export type Relay = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>;

export function teamRelay({ teamStore }: Services): Relay {
  return async (request, reply) => {
    if (!teamStore) return undefined;
    const { method, url, body, caller } = request;
    const { status, body: answer } = await teamStore.relay(method, url, body, caller.principal);
    return reply.code(status).send(status < 400 ? answer : { detail: detailIn(answer) });
  };
}

/** Refusals under a stable name keep it. */
function detailIn(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'detail' in body ? body.detail : detailOf(body);
}
