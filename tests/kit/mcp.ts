// An agent: the official client of the Model Context Protocol, at a server's door.
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

export interface TestAgent extends AsyncDisposable {
  readonly client: Client;
  /** What the tool answers; a refusal fails the test. */
  call(name: string, args?: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** What the tool says when it refuses; an answer fails the test. */
  refused(name: string, args?: Record<string, unknown>): Promise<string>;
}

export async function connectAgent(address: string, headers: Record<string, string> = {}): Promise<TestAgent> {
  const client = new Client({ name: 'tests', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp/`), { requestInit: { headers } }));
  return {
    client,
    async call(name, args = {}) {
      const answer = await client.callTool({ name, arguments: args });
      assert.notEqual(answer.isError, true, JSON.stringify(answer.content));
      return Object(answer.structuredContent);
    },
    async refused(name, args = {}) {
      const answer = await client.callTool({ name, arguments: args });
      assert.equal(answer.isError, true, JSON.stringify(answer.content));
      return Object(answer.content)[0].text;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
