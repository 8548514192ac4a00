// A provider of models that a test plays itself: a real HTTP server that speaks their protocol and answers as it was told to.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';

export type ModelAnswer = (response: ServerResponse, body: Record<string, unknown>, request: IncomingMessage) => void;

export interface AskedModel {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
}

export interface TestProvider {
  readonly address: string;
  /** What it was asked. */
  asked: AskedModel[];
  /** How it answers next. */
  answers: ModelAnswer[];
  close(): void;
}

export const pieceOf = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;

/** An answer that comes in these pieces. */
export const stream =
  (...pieces: string[]): ModelAnswer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of pieces) response.write(pieceOf(piece));
    const usage = { prompt_tokens: 7, completion_tokens: pieces.length };
    response.end(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
  };

export const refuse =
  (status: number, message: string): ModelAnswer =>
  (response) =>
    response.writeHead(status).end(JSON.stringify({ error: { message } }));

export async function startProvider(): Promise<TestProvider> {
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await readText(request));
    provider.asked.push({ path: request.url ?? '', headers: request.headers, body });
    (provider.answers.shift() ?? refuse(500, 'no answer was planned'))(response, body, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const place = server.address();
  assert.ok(place !== null && typeof place === 'object');
  const provider: TestProvider = {
    address: `http://127.0.0.1:${place.port}/v1`,
    asked: [],
    answers: [],
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return provider;
}
