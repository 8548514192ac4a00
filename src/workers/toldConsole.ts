// What the watchers of a pulled cell have heard of its console. Text behind a lost piece waits for the end of the run: then the
// bundle has all of it, and where no bundle came the held pieces are told as they are.
import type { ConsoleEvent, ConsoleStream } from '../runtimes/index.ts';

export interface ToldConsole {
  tell(stream: ConsoleStream, text: string): void;
  /** Tells what is missing of the whole, where what was told is its beginning. */
  tellRest(whole: Printed): void;
  /** The end of what was told, for a run that leaves nothing else. */
  printed(): Printed;
}

export type Printed = Readonly<Record<ConsoleStream, string>>;

/** Of each stream, as the state of a running cell has it. */
const keptCharacters = 64 * 1024;

const streams = ['stdout', 'stderr'] as const;

export function createToldConsole(onEvent: (event: ConsoleEvent) => void): ToldConsole {
  const told = { stdout: { count: 0, end: '' }, stderr: { count: 0, end: '' } };
  return {
    tell(stream, text) {
      const { count, end } = told[stream];
      told[stream] = { count: count + text.length, end: (end + text).slice(-keptCharacters) };
      onEvent({ type: 'console', stream, text });
    },
    tellRest(whole) {
      for (const stream of streams) {
        const { count, end } = told[stream];
        const text = whole[stream].slice(count);
        if (text !== '' && whole[stream].slice(0, count).endsWith(end))
          onEvent({ type: 'console', stream, text, isRest: true });
      }
    },
    printed: () => ({ stdout: told.stdout.end, stderr: told.stderr.end }),
  };
}
