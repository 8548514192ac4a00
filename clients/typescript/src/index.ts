// The client: one function for every route, one for the socket of a notebook. The types of both are generated from the
// server's own description (`routes.ts`, `frames.ts`); nothing here knows a single route.
import { type ClientFrames, frameProtocol, type ServerFrames } from './frames.ts';
import type { Routes } from './routes.ts';

export type { ClientFrames, Routes, ServerFrames };

export interface ClientOptions {
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How often a request is sent again to a server that is busy. */
  readonly retries?: number;
  readonly fetch?: typeof fetch;
}

export type RouteName = keyof Routes;
type Part<Name extends RouteName, Key extends string> = Routes[Name] extends Record<Key, infer Value> ? Value : never;
export type Answer<Name extends RouteName> = Part<Name, 'answer'>;

/** What a route needs and may be given. */
export type RequestOptions<Name extends RouteName> = Omit<Routes[Name], 'answer'> & {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};
type Arguments<Name extends RouteName> =
  Record<never, never> extends RequestOptions<Name>
    ? [name: Name, options?: RequestOptions<Name>]
    : [name: Name, options: RequestOptions<Name>];

/** What a server answered instead of doing it. */
export class SvcError extends Error {
  readonly status: number;
  readonly detail: unknown;
  readonly requestId: string | null;

  constructor(status: number, detail: unknown, requestId: string | null) {
    super(`${status}: ${typeof detail === 'string' ? detail : JSON.stringify(detail)}`);
    this.name = 'SvcError';
    this.status = status;
    this.detail = detail;
    this.requestId = requestId;
  }
}

export interface Client {
  /** Sends a request and gives its JSON. Rejects with SvcError when the server refuses. */
  request<Name extends RouteName>(...args: Arguments<Name>): Promise<Answer<Name>>;
  /** The same, but gives the response as it is, once it is no refusal. */
  send<Name extends RouteName>(...args: Arguments<Name>): Promise<Response>;
  openSocket(sessionId: string, options?: { readonly viewer?: boolean }): Promise<NotebookSocket>;
}

export interface NotebookSocket {
  send<Type extends keyof ClientFrames>(type: Type, payload: ClientFrames[Type]): void;
  /** Calls back with every frame of a type; gives what stops it. */
  on<Type extends keyof ServerFrames>(type: Type, listener: (payload: ServerFrames[Type]) => void): () => void;
  /** The next frame of a type that fits. */
  until<Type extends keyof ServerFrames>(
    type: Type,
    fits?: (payload: ServerFrames[Type]) => boolean,
  ): Promise<ServerFrames[Type]>;
  close(): void;
}

const busy = new Set([429, 503]);

export function createClient({
  baseUrl,
  apiKey,
  headers = {},
  retries = 3,
  fetch: ask = fetch,
}: ClientOptions): Client {
  const base = baseUrl.replace(/\/$/, '');
  const shared = { ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }), ...headers };

  async function send(name: string, options: Options = {}): Promise<Response> {
    const { method, url, init } = requestOf(base, name, options, shared);
    for (let attempt = 0; ; attempt++) {
      const response = await ask(url, init);
      if (response.ok) return response;
      if (!busy.has(response.status) || attempt >= retries || method === 'PATCH') throw await refusal(response);
      await response.body?.cancel();
      await pause(waitSeconds(response, attempt), options.signal);
    }
  }

  return {
    send: (...[name, options]) => send(name, options),
    async request(...[name, options]) {
      const response = await send(name, options);
      const text = await response.text();
      return text === '' ? undefined : JSON.parse(text);
    },
    openSocket: (sessionId, { viewer = false } = {}) =>
      openSocket(
        `${base.replace(/^http/, 'ws')}/v1/notebooks/ws/${encodeURIComponent(sessionId)}?protocol=${frameProtocol}${viewer ? '&role=viewer' : ''}`,
      ),
  };
}

interface Options {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

function requestOf(
  base: string,
  name: string,
  { path = {}, query = {}, body, headers, signal }: Options,
  shared: object,
) {
  const [method = 'GET', template = '/'] = name.split(' ');
  const place = template.replace(/\{([^}]+)\}/g, (_, key: string) => encodeURIComponent(String(path[key])));
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, String(value));
  const init: RequestInit = {
    method,
    headers: {
      ...(body === undefined || isBody(body) ? {} : { 'content-type': 'application/json' }),
      ...shared,
      ...headers,
    },
    ...(body === undefined ? {} : { body: isBody(body) ? body : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  };
  return { method, url: `${base}${place}${search.size > 0 ? `?${search}` : ''}`, init };
}

/** What is sent as it is; everything else is JSON. */
const isBody = (body: unknown): body is string | ArrayBuffer | Blob | FormData =>
  typeof body === 'string' || body instanceof ArrayBuffer || body instanceof Blob || body instanceof FormData;

async function refusal(response: Response): Promise<SvcError> {
  const text = await response.text();
  let detail: unknown = text;
  try {
    const answer: unknown = JSON.parse(text);
    detail = typeof answer === 'object' && answer !== null && 'detail' in answer ? answer.detail : answer;
  } catch {
    // Plain text is its own detail.
  }
  return new SvcError(response.status, detail, response.headers.get('x-request-id'));
}

function waitSeconds(response: Response, attempt: number): number {
  const said = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isNaN(said) ? Math.min(2 ** attempt, 30) : said;
}

function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = withResolvers<void>();
  const timer = setTimeout(resolve, seconds * 1000);
  signal?.addEventListener('abort', () => {
    clearTimeout(timer);
    reject(signal.reason);
  });
  return promise;
}

/** As the server writes it; what a type's payload looks like is said by ServerFrames. */
interface Frame {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: of the type that `type` names, which only the server can promise
  readonly payload: any;
}

function openSocket(url: string): Promise<NotebookSocket> {
  const socket = new WebSocket(url);
  const listeners = new Set<(frame: Frame) => void>();
  const { promise, resolve, reject } = withResolvers<NotebookSocket>();
  const on: NotebookSocket['on'] = (type, listener) => {
    const listen = (frame: Frame): void => {
      if (frame.type === type) listener(frame.payload);
    };
    listeners.add(listen);
    return () => listeners.delete(listen);
  };
  socket.addEventListener('message', ({ data }) => {
    const frame: Frame = JSON.parse(String(data));
    for (const listen of [...listeners]) listen(frame);
  });
  socket.addEventListener('error', () => reject(new Error(`No socket at ${url}`)));
  socket.addEventListener('open', () =>
    resolve({
      on,
      send: (type, payload) => socket.send(JSON.stringify({ type, payload })),
      until: (type, fits = () => true) =>
        new Promise((found, failed) => {
          const stop = on(type, (payload) => {
            if (!fits(payload)) return;
            stop();
            found(payload);
          });
          socket.addEventListener('close', ({ code }) => failed(new Error(`The socket was closed with ${code}`)));
        }),
      close: () => socket.close(),
    }),
  );
  return promise;
}

/** Node 20 lacks `Promise.withResolvers`. */
function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (reason: unknown) => void } {
  let resolve: (value: T) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<T>((one, other) => {
    resolve = one;
    reject = other;
  });
  return { promise, resolve, reject };
}
