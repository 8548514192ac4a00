// A cell process that is talked with: each message to it is answered by one of its own, in order.

import { createByteWindow } from '../byteWindow.ts';
import { RuntimeUnavailable } from '../runtime.ts';
import type { Zygote } from './zygote.ts';

/** What it said, or why it never will; with what it printed meanwhile. */
export type Reply<T> =
  | { readonly said: T; readonly printed: string }
  | { readonly gone: string; readonly printed: string };

export interface Conversation<T> {
  ask(message: object): Promise<Reply<T>>;
  isOver(): boolean;
  close(): Promise<void>;
}

const PRINTED_BYTES = 64 * 1024;

/** `greeting`: reads the first message, which comes unasked; it may throw. `signal`: nobody waits for it any more. */
export async function converse<T>(
  zygote: Zygote,
  order: object,
  read: { readonly greeting: (text: string) => void; readonly reply: (text: string) => T },
  onEnded: () => void,
  signal?: AbortSignal,
): Promise<Conversation<T>> {
  const { promise: ended, resolve: resolveEnded } = Promise.withResolvers<void>();
  const greeted = Promise.withResolvers<void>();
  let printed = createByteWindow(PRINTED_BYTES, PRINTED_BYTES);
  let waiting: ((reply: Reply<T>) => void)[] = [];
  let isGreeted = false;
  let end: string | undefined;

  function takePrinted(): string {
    const text = printed.text();
    printed = createByteWindow(PRINTED_BYTES, PRINTED_BYTES);
    return text;
  }

  const run = zygote.start(order, {
    onBegun() {},
    onConsole: (_stream, bytes) => printed.push(bytes),
    onMessage(text) {
      try {
        if (isGreeted) {
          const said = read.reply(text);
          waiting.shift()?.({ said, printed: takePrinted() });
          return;
        }
        isGreeted = true;
        read.greeting(text);
        greeted.resolve();
      } catch (problem) {
        // One that cannot be understood is ended; the cells beside it go on.
        greeted.reject(problem);
        run.stop();
      }
    },
    onResult() {},
    onEnded(ending) {
      end = ending.lost ?? 'its process has ended';
      greeted.reject(new RuntimeUnavailable(end));
      const text = takePrinted();
      for (const answer of waiting) answer({ gone: end, printed: text });
      waiting = [];
      resolveEnded();
      onEnded();
    },
  });

  signal?.addEventListener('abort', () => run.stop(), { once: true });
  if (signal?.aborted) run.stop();
  await greeted.promise;
  return {
    ask(message) {
      if (end !== undefined) return Promise.resolve({ gone: end, printed: '' });
      const { promise, resolve } = Promise.withResolvers<Reply<T>>();
      waiting.push(resolve);
      run.say(message);
      return promise;
    },
    isOver: () => end !== undefined,
    async close() {
      run.stop();
      await ended;
    },
  };
}
