// The client: one function for every route, one for the socket of a notebook. The types of both are generated from the
// server's own description (`routes.ts`, `frames.ts`); nothing here knows a single route.
import { type ClientFrames, frameProtocol, type ServerFrames } from './frames.ts';
import type { Routes } from './routes.ts';
import { createTransport, type TransportOptions, withResolvers } from './transport.ts';

export { SvcError } from './transport.ts';
export type { ClientFrames, Routes, ServerFrames };

export interface ClientOptions extends TransportOptions {
  readonly apiKey?: string;
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

export function createClient({ apiKey, headers = {}, ...options }: ClientOptions): Client {
  const authorization = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const { base, send } = createTransport({ ...options, headers: { ...authorization, ...headers } });
  return {
    send: (...[name, asked]) => send(name, asked),
    async request(...[name, asked]) {
      const text = await (await send(name, asked)).text();
      return text === '' ? undefined : JSON.parse(text);
    },
    openSocket: (sessionId, { viewer = false } = {}) =>
      openSocket(
        `${base.replace(/^http/, 'ws')}/v1/notebooks/ws/${encodeURIComponent(sessionId)}?protocol=${frameProtocol}${viewer ? '&role=viewer' : ''}`,
      ),
  };
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
