// A REST client for tests: whole answers as plain values, and JSON held against its protocol schema.
import http from 'node:http';
import type { z } from 'zod';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body as JSON; fails when it is none. */
  readonly json: unknown;
}

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly json?: unknown;
  readonly body?: string | Uint8Array;
}

export interface Rest {
  send(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  get(path: string, options?: RequestOptions): Promise<Answer>;
  post(path: string, options?: RequestOptions): Promise<Answer>;
  /** A successful GET, as its schema types it. */
  read<T>(schema: z.ZodType<T>, path: string, options?: RequestOptions): Promise<T>;
}

export function createRest(address: string): Rest {
  const send = (method: string, path: string, options: RequestOptions = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const body = options.json === undefined ? options.body : JSON.stringify(options.json);
      const headers = {
        ...(options.json === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      };
      const request = http.request(`${address}${path}`, { method, headers, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve(answerOf(response, Buffer.concat(chunks).toString())));
        response.on('error', reject);
      });
      request.on('error', reject);
      request.end(body);
    });
  return {
    send,
    get: (path, options) => send('GET', path, options),
    post: (path, options) => send('POST', path, options),
    async read(schema, path, options) {
      const answer = await send('GET', path, options);
      if (answer.status !== 200) throw new Error(`GET ${path} answered ${answer.status}: ${answer.text}`);
      return schema.parse(answer.json);
    },
  };
}

function answerOf(response: http.IncomingMessage, text: string): Answer {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers)) headers[name] = String(value);
  return {
    status: response.statusCode ?? 0,
    headers,
    text,
    get json() {
      return JSON.parse(text);
    },
  };
}
