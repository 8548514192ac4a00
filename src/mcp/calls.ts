// Calls under way over HTTP. A client takes one back in a request of its own, so the two are brought together here, by the
// session that the client was given and the number that it gave the call. Where several servers share a store, the request
// may come to one that does not have the call: it finds out which one has.
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { alone, type Owners } from '../nodes/index.ts';

export interface Calls {
  /** Looks at what a client sent. */
  hear(client: string, message: unknown): Heard;
}

export interface Heard {
  /** Tells when the call is taken back, until `done`. */
  readonly signal: AbortSignal;
  done(): void;
  /** The server that must hear it too: it has the call that is taken back here. */
  otherServer(): Promise<string | undefined>;
}

const requestId = z.union([z.string(), z.number()]);
const call = z.looseObject({ id: requestId, method: z.string() });
const cancelled = z.looseObject({
  method: z.literal('notifications/cancelled'),
  params: z.looseObject({ requestId }),
});

const beginning = z.object({
  method: z.literal('initialize'),
  params: z.object({ clientInfo: z.object({ name: z.string() }) }).catch({ clientInfo: { name: '' } }),
});

/** What a program that begins to talk calls itself, as it can be shown; undefined for any other message. */
export const clientOf = (message: unknown): string | undefined =>
  beginning
    .safeParse(message)
    .data?.params.clientInfo.name.replace(/[^\P{C}]/gu, '')
    .trim()
    .slice(0, 64);

const mostEarly = 1000;
/** No call is awaited for longer. */
const claimSeconds = 86_400;
/** The call may come, or be told of, a little later than the word that takes it back. */
const looksAfterMilliseconds = [0, 250, 2000];

export function createCalls(owners: Owners = alone): Calls {
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

  /** Looks for as long as the call is not here. */
  async function ownerOf(key: string): Promise<string | undefined> {
    for (const milliseconds of looksAfterMilliseconds) {
      await pause(milliseconds);
      if (!early.has(key)) return undefined;
      const owner = await owners.otherOwner(key);
      if (owner === undefined) continue;
      early.delete(key);
      return owner;
    }
    return undefined;
  }

  return {
    hear(client, message) {
      const stop = new AbortController();
      const takenBack = cancelled.safeParse(message).data;
      if (takenBack) {
        const key = keyOf(client, takenBack.params.requestId);
        takeBack(key);
        return {
          signal: stop.signal,
          done() {},
          otherServer: async () => (owners === alone ? undefined : ownerOf(key)),
        };
      }
      const heard = { signal: stop.signal, otherServer: async () => undefined };
      const started = call.safeParse(message).data;
      if (!started) return { ...heard, done() {} };
      const key = keyOf(client, started.id);
      underWay.set(key, stop);
      if (early.delete(key)) stop.abort();
      const claimed = started.method === 'tools/call' ? owners.claim(key, claimSeconds) : undefined;
      return {
        ...heard,
        done() {
          if (underWay.get(key) !== stop) return;
          underWay.delete(key);
          void claimed?.then(() => owners.release(key));
        },
      };
    },
  };
}

/** What others read in the store tells nothing of the client. */
const keyOf = (client: string, id: string | number): string =>
  `call-${createHash('sha256')
    .update(JSON.stringify([client, id]))
    .digest('hex')}`;
