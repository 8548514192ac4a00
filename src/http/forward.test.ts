// Requests that are handed on to another server which ends before it has answered: told apart by whether asking again could do
// something twice.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { it, type TestContext } from 'node:test';
import Fastify from 'fastify';
import { Refusal } from '../errors/index.ts';
import { HeldElsewhere } from '../nodes/index.ts';
import { forward } from './forward.ts';

const addressOf = (server: http.Server): string => {
  const at = server.address();
  return `http://127.0.0.1:${typeof at === 'object' ? at?.port : 0}`;
};

/** Takes requests whole and hangs up without an answer, as one does that is killed. */
async function startDying(t: TestContext): Promise<{ address: string; taken: string[] }> {
  const taken: string[] = [];
  const server = http.createServer(async (request) => {
    await request.toArray();
    taken.push(String(request.method));
    request.socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return { address: addressOf(server), taken };
}

/** How a server that hands everything on answers. */
async function startHanding(t: TestContext, other: string) {
  const app = Fastify();
  app.route({
    method: ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'],
    url: '/*',
    handler: async (request, reply) => {
      try {
        return await forward(request, reply, new HeldElsewhere(other, '/notebook'), { isAt: async () => true });
      } catch (error) {
        assert.ok(error instanceof Refusal);
        return { kind: error.kind, retry: error.retryAfterSeconds ?? null };
      }
    },
  });
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => app.close());
  return async (method: string): Promise<unknown> => {
    const body =
      method === 'GET' || method === 'DELETE' ? {} : { body: '{}', headers: { 'content-type': 'application/json' } };
    return (await fetch(`${address}/v1/notebooks/s/cells`, { method, ...body })).json();
  };
}

const again = { kind: 'unavailable', retry: 2 };
const unknown = { kind: 'conflict', retry: null };

it('what may have been carried out, and would be a second time, is not to be asked again unseen', async (t) => {
  const { address, taken } = await startDying(t);
  const ask = await startHanding(t, address);
  const methods = ['GET', 'PUT', 'DELETE', 'POST', 'PATCH'];
  const answers: unknown[] = [];
  for (const method of methods) answers.push(await ask(method));
  assert.deepEqual(answers, [again, again, again, unknown, unknown]);
  assert.deepEqual(taken, methods);
});

it('what never reached the other server is asked again', async (t) => {
  const closed = http.createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const address = addressOf(closed);
  closed.close();
  await once(closed, 'close');
  const ask = await startHanding(t, address);
  assert.deepEqual([await ask('GET'), await ask('POST')], [again, again]);
});
