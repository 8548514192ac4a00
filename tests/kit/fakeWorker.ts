// A worker that answers as a test wants, in the process of the test.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { listening } from './listening.ts';

export type FakeAnswer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** Healthy, and able to nothing beyond running cells. */
const healthy = '{"status":"healthy","capabilities":{"features":{}}}';

export async function fakeWorker(
  context: TestContext,
  answer: FakeAnswer,
  health: FakeAnswer = (_request, response) => void response.end(healthy),
): Promise<{ address: string; calls: string[] }> {
  const calls: string[] = [];
  const fake = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`);
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    if (request.url?.split('?')[0] === '/health') health(request, response, '');
    else if (request.url?.endsWith('/cancel')) response.end('{}');
    // As a worker answers that knows no hints: the server gives one for a cell that somebody selects.
    else if (request.url?.endsWith('/v1/hints')) response.writeHead(404).end('{}');
    else request.on('end', () => answer(request, response, String(Buffer.concat(pieces))));
  });
  return { address: await listening(context, fake), calls };
}
