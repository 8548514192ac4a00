// The console of a run: live text in few pieces, and a bounded record of the whole. The first text goes out at once, what
// follows at most every LIVE_INTERVAL_MS, and no piece is larger than LIVE_BYTES: whoever prints a hundred megabytes
// slows nobody else down.

import { type ByteWindow, createByteWindow, withoutCutCharacter } from './byteWindow.ts';
import type { ConsoleEvent, ConsoleStream } from './runtime.ts';

export const LIVE_INTERVAL_MS = 30;
export const LIVE_BYTES = 128 * 1024;
/** Of each stream, half at its beginning and half at its end. */
const KEPT_BYTES = 1024 * 1024;

export interface Console {
  write(stream: ConsoleStream, bytes: Buffer): void;
  /** Hands on what waits, and stops the clock. Call it when the run is over. */
  end(): { stdout: string; stderr: string };
}

export function createConsole(onEvent: (event: ConsoleEvent) => void, keptBytes = KEPT_BYTES): Console {
  const streams = { stdout: createStream(keptBytes), stderr: createStream(keptBytes) };
  let clock: NodeJS.Timeout | undefined;

  function sendWaiting(isLast: boolean): boolean {
    let sent = false;
    for (const name of ['stdout', 'stderr'] as const) {
      const text = streams[name].takeLive(isLast);
      if (text === '') continue;
      sent = true;
      onEvent({ type: 'console', stream: name, text });
    }
    return sent;
  }

  function tick(): void {
    clock = sendWaiting(false) ? setTimeout(tick, LIVE_INTERVAL_MS) : undefined;
  }

  return {
    write(stream, bytes) {
      streams[stream].push(bytes);
      if (clock === undefined) tick();
    },
    end() {
      clearTimeout(clock);
      sendWaiting(true);
      return { stdout: streams.stdout.whole(), stderr: streams.stderr.whole() };
    },
  };
}

interface Stream {
  push(bytes: Buffer): void;
  takeLive(isLast: boolean): string;
  whole(): string;
}

function createStream(keptBytes: number): Stream {
  const kept = createByteWindow(keptBytes / 2, keptBytes / 2);
  let waiting: ByteWindow | undefined;
  let cut = Buffer.alloc(0);

  return {
    push(bytes) {
      kept.push(bytes);
      const joined = cut.length > 0 ? Buffer.concat([cut, bytes]) : bytes;
      const whole = withoutCutCharacter(joined);
      cut = Buffer.from(joined.subarray(whole.length));
      if (whole.length === 0) return;
      waiting ??= createByteWindow(LIVE_BYTES / 2, LIVE_BYTES / 2);
      waiting.push(whole);
    },
    takeLive(isLast) {
      const text = waiting?.text() ?? '';
      waiting = undefined;
      return isLast && cut.length > 0 ? text + cut.toString('utf8') : text;
    },
    whole: () => kept.text(),
  };
}
