// Ctrl-C: what a command has begun is ended and taken back before the program leaves, so that no process and nothing half
// written stays behind. A second one does not wait.
import os from 'node:os';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const undoings = new Set<() => Promise<unknown>>();
let isStopping = false;

/** True once the user has had enough: what fails from then on is not told. */
export const isInterrupted = (): boolean => isStopping;

/** `undo` is done before the program leaves, until what is given back is called. */
export function atInterrupt(undo: () => Promise<unknown>): () => void {
  if (undoings.size === 0) for (const signal of signals) process.on(signal, stop);
  undoings.add(undo);
  return () => {
    undoings.delete(undo);
    if (undoings.size === 0) for (const signal of signals) process.off(signal, stop);
  };
}

/** Work that stops when it is told to, and cleans up behind itself when it fails. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController();
  const done = work(stopping.signal);
  const release = atInterrupt(async () => {
    stopping.abort();
    await done.catch(() => {});
  });
  try {
    return await done;
  } finally {
    release();
  }
}

function stop(signal: NodeJS.Signals): void {
  const leave = (): never => process.exit(128 + os.constants.signals[signal]);
  if (isStopping) leave();
  isStopping = true;
  void Promise.allSettled([...undoings].map((undo) => undo())).then(leave);
}
