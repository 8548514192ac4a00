// A notebook on its way from its first look to its close: what others ask of it before all of it is there, and after.
import type { Notebook } from '../document/index.ts';
import type { LiveNotebook } from '../live/index.ts';

export interface Opening {
  /** Names this opening: what holds only while the notebook is open holds until it is another. */
  readonly id: string;
  readonly directory: string;
  /** Resolves when its cells were looked at. */
  readonly live: Promise<LiveNotebook>;
  /** As it is now. */
  notebook(): Notebook;
  isRunning(): boolean;
  isClosed(): boolean;
  opened(live: LiveNotebook): void;
  failed(error: unknown): void;
  close(): void;
}

export function beginOpening(read: Notebook): Opening {
  const { promise, resolve, reject } = Promise.withResolvers<LiveNotebook>();
  let live: LiveNotebook | undefined;
  let isClosed = false;
  // Who waits for it says so; a failure to open is told to whoever opens.
  promise.catch(() => {});
  return {
    id: crypto.randomUUID(),
    directory: read.directory,
    live: promise,
    notebook: () => live?.notebook() ?? read,
    isRunning: () => live !== undefined && live.runner.active() !== null,
    isClosed: () => isClosed,
    opened(found) {
      live = found;
      resolve(found);
    },
    failed(error) {
      isClosed = true;
      reject(error);
    },
    close() {
      isClosed = true;
    },
  };
}
