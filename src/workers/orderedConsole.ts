// Pieces of a console that come numbered, and in any order: each is told once, in its turn.
import type { ConsoleStream } from '../runtimes/index.ts';

export interface OrderedConsole {
  /** False for a piece that came before, or that is too far ahead to be held. */
  take(stream: ConsoleStream, seq: number, text: string): boolean;
  /** Tells what was held behind pieces that never came. */
  tellHeld(): void;
}

const maxEarlyPieces = 64;

export function orderedConsole(tell: (stream: ConsoleStream, text: string) => void): OrderedConsole {
  const fresh = () => ({ next: 0, early: new Map<number, string>() });
  const streams = { stdout: fresh(), stderr: fresh() };
  return {
    take(stream, seq, text) {
      const own = streams[stream];
      if (seq < own.next || own.early.has(seq)) return false;
      if (seq > own.next && own.early.size >= maxEarlyPieces) return false;
      own.early.set(seq, text);
      for (let piece = own.early.get(own.next); piece !== undefined; piece = own.early.get(own.next)) {
        own.early.delete(own.next++);
        tell(stream, piece);
      }
      return true;
    },
    tellHeld() {
      for (const stream of ['stdout', 'stderr'] as const) {
        const { early } = streams[stream];
        const held = [...early].sort(([a], [b]) => a - b);
        early.clear();
        for (const [, text] of held) tell(stream, text);
      }
    },
  };
}
