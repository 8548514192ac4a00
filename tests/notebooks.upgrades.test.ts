// Who gets a socket of a session: whoever may read it, in the tenant that they act in, as for any other request.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { type AssertedCaller, asserted, startProxied } from './kit/service.ts';
import { openSocket } from './kit/socket.ts';

const writes = 'notebook:write notebook:execute';
const everything = `notebook:read ${writes}`;

/** A service with one open notebook of ann's, and how it answers callers: with a status, over REST and for a socket. */
async function serviceWithNotebook(env: Record<string, string>, ann: Partial<AssertedCaller> = {}) {
  const server = await startProxied(env);
  const created = await server.rest.post('/v1/notebooks/create', {
    headers: asserted({ principal: 'ann', scopes: everything, ...ann }),
    json: { parent_path: '.', name: 'Watched' },
  });
  const { session_id } = Object(created.json);
  const place = `/v1/notebooks/ws/${session_id}`;
  const upgrade = (caller: AssertedCaller): Promise<number> =>
    openSocket(server.address, place, asserted(caller)).then(
      (socket) => {
        socket.close();
        return 101;
      },
      ({ status }) => status,
    );
  const read = async (caller: AssertedCaller): Promise<number> =>
    (await server.rest.get(`/v1/notebooks/${session_id}/cells`, { headers: asserted(caller) })).status;
  return { server, place, upgrade, read, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

describe('a socket', () => {
  it('is for callers who may read: others would hear all that is told', async () => {
    await using service = await serviceWithNotebook({});
    const statuses = ['', writes, 'notebook:read', 'admin:*'].map((scopes) =>
      service.upgrade({ principal: 'eve', scopes }),
    );
    assert.deepEqual(await Promise.all(statuses), [403, 403, 101, 101]);
  });

  it('asks for a tenant where every request has to name one', async () => {
    const env = { SVC_MULTI_TENANT_ENABLED: 'true', SVC_REQUIRE_TENANT_HEADER: 'true' };
    await using service = await serviceWithNotebook(env, { tenant: 't1' });
    const root = { principal: 'root', scopes: 'admin:*' };
    const callers = [root, { ...root, tenant: '_no' }, { ...root, tenant: 't1' }];
    assert.deepEqual(await Promise.all(callers.map(service.read)), [400, 400, 200]);
    assert.deepEqual(await Promise.all(callers.map(service.upgrade)), [403, 403, 101]);
  });

  it('does not care for the header of a tenant where there are none, and no more does any other request', async () => {
    await using service = await serviceWithNotebook({}, { tenant: 't1' });
    const callers = [undefined, 't1', 't2', 'no tenant at all'].map((tenant) => ({
      principal: 'bob',
      scopes: 'notebook:read',
      ...(tenant === undefined ? {} : { tenant }),
    }));
    assert.deepEqual(await Promise.all(callers.map(service.read)), [200, 200, 200, 200]);
    assert.deepEqual(await Promise.all(callers.map(service.upgrade)), [101, 101, 101, 101]);
  });

  it('is known by the id of its request, its own or one that was made for it', async () => {
    await using service = await serviceWithNotebook({});
    const idOf = (headers: Record<string, string>): Promise<string | undefined> =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(`${service.server.address.replace(/^http/, 'ws')}${service.place}`, {
          headers: { ...asserted({ principal: 'ann', scopes: everything }), ...headers },
        });
        socket.on('upgrade', ({ headers: answered }) => {
          resolve(answered['x-request-id']?.toString());
          socket.on('open', () => socket.close());
        });
        socket.on('error', reject);
      });
    assert.equal(await idOf({ 'x-request-id': 'mine-7' }), 'mine-7');
    assert.match(String(await idOf({})), /^[0-9a-f]{16}$/);
  });
});
