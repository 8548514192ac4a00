// Every frame of a socket and every tool of agents against callers whose scopes are too small, and against another tenant.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { z } from 'zod';
import { type Scope, scopes } from '../src/identity/index.ts';
import { tools } from '../src/mcp/tools.ts';
import { clientFrames, frameScopes } from '../src/protocol/index.ts';
import { type Guarded, keyEnvironment, startGuarded, type Values, type World } from './kit/guarded.ts';
import { connectAgent } from './kit/mcp.ts';
import { openSocket } from './kit/socket.ts';

/** Everything that is not enough for this scope. */
const without = (scope: Scope): Scope[] => scopes.filter((one) => one !== 'admin:*' && one !== scope);

/** What a schema asks for and no more; ids are those of something that is there. */
function sampleOf(schema: z.ZodType, ours: Values): Record<string, unknown> {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const valueFor = (name: string): unknown => {
    const { type, format, enum: choices } = Object(properties[name]);
    if (choices !== undefined) return choices[0];
    if (format === 'uri') return 'https://worker.example';
    const plain: Record<string, unknown> = { integer: 0, number: 1, boolean: true, object: {}, array: [] };
    return ours[name] ?? plain[type] ?? 'word';
  };
  return Object.fromEntries(required.map((name) => [name, valueFor(name)]));
}

describe('a service with keys', () => {
  let guarded: Guarded;
  let world: World;
  before(async () => {
    guarded = await startGuarded(keyEnvironment);
    world = await guarded.world();
  });
  after(() => guarded[Symbol.asyncDispose]());
  const unchanged = async (): Promise<void> => assert.deepEqual(await guarded.world(), world);

  it('refuses every frame to every caller whose scopes do not cover it, and does nothing', async () => {
    for (const scope of ['notebook:write', 'notebook:execute'] as const) {
      const headers = await guarded.headersOf({ tenant: 'ours', scopes: without(scope) });
      const socket = await openSocket(guarded.address, `/v1/notebooks/ws/${guarded.ours.session_id}`, headers);
      const frames = Object.entries(clientFrames).filter(([type]) => Object(frameScopes)[type] === scope);
      const errors = () => socket.frames.filter(({ type }) => type === 'error');
      for (const [index, [type, schema]] of frames.entries()) {
        socket.send(type, sampleOf(schema, guarded.ours));
        await socket.frame(() => errors().length > index);
      }
      assert.deepEqual(
        errors().map(({ payload }) => payload),
        frames.map(() => ({ error: `This frame requires the ${scope} scope`, code: 'insufficient_scope' })),
      );
      socket.close();
      await socket.closed;
    }
    await unchanged();
  });

  it('refuses every tool to every caller whose scopes do not cover it, and does nothing', async () => {
    for (const scope of new Set(tools.map((tool) => tool.scope))) {
      const headers = await guarded.headersOf({ tenant: 'ours', scopes: without(scope) });
      await using agent = await connectAgent(guarded.address, { ...headers });
      for (const { name, input } of tools.filter((tool) => tool.scope === scope)) {
        const said = await agent.refused(name, sampleOf(input, guarded.ours));
        assert.equal(said, `'${name}' requires the ${scope} scope`);
      }
    }
    await unchanged();
  });

  it('finds nothing of a tenant for the agents of another', async () => {
    const ordinary = scopes.filter((one) => !one.startsWith('admin:'));
    await using agent = await connectAgent(guarded.address, {
      ...(await guarded.headersOf({ tenant: 'theirs', scopes: ordinary })),
    });
    for (const { name, input } of tools.filter((tool) => 'session_id' in tool.input.shape)) {
      const said = await agent.refused(name, sampleOf(input, guarded.ours));
      const never = await agent.refused(name, sampleOf(input, { ...guarded.ours, session_id: 'nobodys' }));
      assert.equal(said, never.replace('nobodys', guarded.ours.session_id ?? ''), name);
    }
    await unchanged();
  });
});
