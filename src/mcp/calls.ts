// Calls under way over HTTP. A client takes one back in a request of its own, so the two are brought together here, by the
// session that the client was given and the number that it gave the call.
import { z } from 'zod';

export interface Calls {
  /** Looks at what a client sent. What it gives back tells when the call is taken back, until `done`. */
  hear(client: string, message: unknown): { readonly signal: AbortSignal; done(): void };
}

const requestId = z.union([z.string(), z.number()]);
const call = z.looseObject({ id: requestId, method: z.string() });
const cancelled = z.looseObject({
  method: z.literal('notifications/cancelled'),
  params: z.looseObject({ requestId }),
});

export const isInitialize = (message: unknown): boolean => call.safeParse(message).data?.method === 'initialize';

export function createCalls(): Calls {
  const underWay = new Map<string, AbortController>();
  const keyOf = (client: string, id: string | number): string => JSON.stringify([client, id]);
  return {
    hear(client, message) {
      const takenBack = cancelled.safeParse(message).data;
      if (takenBack) underWay.get(keyOf(client, takenBack.params.requestId))?.abort();
      const stop = new AbortController();
      const started = call.safeParse(message).data;
      if (!started) return { signal: stop.signal, done() {} };
      const key = keyOf(client, started.id);
      underWay.set(key, stop);
      return {
        signal: stop.signal,
        done() {
          if (underWay.get(key) === stop) underWay.delete(key);
        },
      };
    },
  };
}
