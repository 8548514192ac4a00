// A worker that answers as a test wants, in the process of the test.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';

export type FakeAnswer = (request: IncomingMessage, response: ServerResponse) => void;

/** Healthy, and able to nothing beyond running cells. */
const healthy = '{"status":"healthy","capabilities":{"features":{}}}';

export async function fakeWorker(
  context: TestContext,
  answer: FakeAnswer,
  health: FakeAnswer = (_request, response) => void response.end(healthy),
): Promise<{ address: string; calls: string[]; server: Server }> {
  const calls: string[] = [];
  const fake = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`);
    request.resume();
    if (request.url === '/health') health(request, response);
    else if (request.url?.endsWith('/cancel')) response.end('{}');
    else request.on('end', () => answer(request, response));
  });
  return { address: await listening(context, fake), calls, server: fake };
}

async function listening(context: TestContext, fake: Server): Promise<string> {
  await new Promise<void>((resolve) => fake.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    fake.closeAllConnections();
    fake.close();
  });
  const place = fake.address();
  assert.ok(place !== null && typeof place === 'object');
  return `http://127.0.0.1:${place.port}`;
}
