// Requests about one notebook that a server has open.
import type { z } from 'zod';
import { createTransport, type SendOptions, ServerAway, SvcError } from '../../clients/typescript/src/transport.ts';

export interface RemotePlace {
  readonly server: string;
  readonly session: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a server refused, in its words. */
export class RemoteRefused extends Error {
  override name = 'RemoteRefused';
  /** As it came; undefined where nobody answered. */
  readonly answer: SvcError | undefined;

  constructor(message: string, answer?: SvcError) {
    super(message);
    this.answer = answer;
  }
}

export interface RemoteSession {
  /** A route below `/v1/notebooks`, whose `{session_id}` is this session. */
  send(method: string, route: string, options?: SendOptions): Promise<Response>;
  ask<T>(schema: z.ZodType<T>, method: string, route: string, options?: SendOptions): Promise<T>;
}

export function remoteSession({ server, session, headers }: RemotePlace): RemoteSession {
  const transport = createTransport({ baseUrl: server, headers });

  async function send(method: string, route: string, { path, ...options }: SendOptions = {}): Promise<Response> {
    try {
      return await transport.send(`${method} /v1/notebooks${route}`, {
        ...options,
        path: { session_id: session, ...path },
      });
    } catch (error) {
      if (error instanceof SvcError) throw new RemoteRefused(error.reason, error);
      throw error instanceof ServerAway ? new RemoteRefused(error.message) : error;
    }
  }

  return { send, ask: async (schema, ...request) => schema.parse(await (await send(...request)).json()) };
}
