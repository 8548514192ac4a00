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

const mostEarly = 1000;

export function createCalls(): Calls {
  const underWay = new Map<string, AbortController>();
  /** Taken back before they came: two requests may overtake each other. */
  const early = new Set<string>();

  function takeBack(key: string): void {
    const call = underWay.get(key);
    if (call) call.abort();
    else early.add(key);
    // The oldest goes first: most were over already.
    const [oldest] = early;
    if (early.size > mostEarly && oldest !== undefined) early.delete(oldest);
  }

  const keyOf = (client: string, id: string | number): string => JSON.stringify([client, id]);
  return {
    hear(client, message) {
      const takenBack = cancelled.safeParse(message).data;
      if (takenBack) takeBack(keyOf(client, takenBack.params.requestId));
      const stop = new AbortController();
      const started = call.safeParse(message).data;
      if (!started) return { signal: stop.signal, done() {} };
      const key = keyOf(client, started.id);
      underWay.set(key, stop);
      if (early.delete(key)) stop.abort();
      return {
        signal: stop.signal,
        done() {
          if (underWay.get(key) === stop) underWay.delete(key);
        },
      };
    },
  };
}
