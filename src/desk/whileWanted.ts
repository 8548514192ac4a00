/** Waits for what somebody asked for; stops it when they do not want it any more. */
export async function whileWanted<T>(
  signal: AbortSignal | undefined,
  stop: () => void,
  work: T | Promise<T>,
): Promise<T> {
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();
  try {
    return await work;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}
