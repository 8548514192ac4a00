// SHA-256 of a large file while it is written, in a thread of its own: on a processor without instructions for it the sum costs
// more than all the rest of an upload, and whoever else is served would wait for it. The thread reads what was written from
// the system's cache; it is started when first needed and ends when there has been nothing to do for a while.
import { Worker } from 'node:worker_threads';
import { threadProgram } from '../places.ts';

export interface HashOrder {
  readonly id: number;
  readonly file: string;
  /** So many bytes of the file are there. */
  readonly length: number;
  readonly then: 'more' | 'finish' | 'drop';
}

export type HashReply =
  | { readonly id: number; readonly sha256: string }
  | { readonly id: number; readonly error: string };

export interface GrowingHash {
  grown(length: number): void;
  /** The sum of the whole file, which has this length. */
  finish(length: number): Promise<string>;
  /** Nobody wants it any more. Does nothing once it is finished. */
  drop(): void;
}

export type HashBeside = (file: string) => GrowingHash;

const idleMilliseconds = 30_000;
/** What it holds is one buffer. */
const resourceLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 };

export function createHashBeside(): HashBeside {
  const open = new Map<number, PromiseWithResolvers<string>>();
  let thread: Worker | undefined;
  let begun = 0;
  let idle: NodeJS.Timeout | undefined;

  function close(id: number): void {
    open.delete(id);
    if (open.size > 0) return;
    thread?.unref();
    idle = setTimeout(() => {
      void thread?.terminate();
      thread = undefined;
    }, idleMilliseconds).unref();
  }

  function start(): Worker {
    const started = new Worker(threadProgram('artifacts/hashThread'), { resourceLimits });
    started.on('message', (reply: HashReply) => {
      const asked = open.get(reply.id);
      close(reply.id);
      if ('sha256' in reply) asked?.resolve(reply.sha256);
      else asked?.reject(new Error(reply.error));
    });
    started.on('error', (error) => {
      if (thread === started) thread = undefined;
      for (const [id, asked] of open) {
        close(id);
        asked.reject(error);
      }
    });
    return started;
  }

  return (file) => {
    clearTimeout(idle);
    thread ??= start();
    thread.ref();
    const id = begun++;
    const asked = Promise.withResolvers<string>();
    // A failure is seen by whoever asks for the sum, maybe later.
    asked.promise.catch(() => {});
    open.set(id, asked);
    const tell = (length: number, then: HashOrder['then']): void => {
      if (open.has(id)) thread?.postMessage({ id, file, length, then } satisfies HashOrder);
    };
    return {
      grown: (length) => tell(length, 'more'),
      finish(length) {
        tell(length, 'finish');
        return asked.promise;
      },
      drop() {
        if (!open.has(id)) return;
        tell(0, 'drop');
        close(id);
      },
    };
  };
}
