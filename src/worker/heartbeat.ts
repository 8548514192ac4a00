// Keeps a connection alive while an answer is not ready, for proxies that cut idle requests: a status that was sent ahead,
// a space every so often, and then the real status in the body.
import { setTimeout as pause } from 'node:timers/promises';

export interface PlainAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** The answer itself when it is ready in time; else what is sent in its place, piece by piece. */
export async function withHeartbeat(
  answer: Promise<PlainAnswer>,
  seconds: number,
): Promise<PlainAnswer | AsyncGenerator<string>> {
  const first = await within(answer, seconds);
  return first ?? beating(answer, seconds);
}

async function* beating(answer: Promise<PlainAnswer>, seconds: number): AsyncGenerator<string> {
  for (;;) {
    yield ' ';
    const ready = await within(answer, seconds);
    if (!ready) continue;
    yield JSON.stringify({ status_code: ready.status, content: JSON.stringify(ready.body) });
    return;
  }
}

async function within(answer: Promise<PlainAnswer>, seconds: number): Promise<PlainAnswer | undefined> {
  const timer = new AbortController();
  const late = pause(seconds * 1000, undefined, { signal: timer.signal }).catch(() => undefined);
  return Promise.race([answer, late]).finally(() => timer.abort());
}
