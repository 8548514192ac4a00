// Servers that a test plays itself: on a free port of this machine, gone with the test.
import assert from 'node:assert/strict';
import type { Server } from 'node:http';
import type { TestContext } from 'node:test';

/** Its address. */
export async function listening(context: Pick<TestContext, 'after'>, server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const place = server.address();
  assert.ok(place !== null && typeof place === 'object');
  return `http://127.0.0.1:${place.port}`;
}
