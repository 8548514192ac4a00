// What the running cell has printed so far, per stream, numbered as it is told. Clients that come late read it from the
// state; it ends with the run, whose result holds the whole.
import type { ConsoleEvent } from '../../runtimes/index.ts';
import type { Audience } from './audience.ts';

export interface LiveConsole {
  begin(cellId: string): void;
  write(cellId: string, event: Pick<ConsoleEvent, 'stream' | 'text' | 'isRest'>): void;
  of(cellId: string): RunningConsole | undefined;
  end(cellId: string): void;
}

export interface RunningConsole {
  readonly stdout: string;
  readonly stderr: string;
  /** When the run began, on the clock of `performance`. */
  readonly begun: number;
}

/** Late clients see the end of a long console. */
const keptCharacters = 64 * 1024;

interface Streams {
  readonly begun: number;
  stdout: string;
  stderr: string;
  readonly chunks: { stdout: number; stderr: number };
}

export function createLiveConsole(audience: Audience): LiveConsole {
  const running = new Map<string, Streams>();
  return {
    begin(cellId) {
      running.set(cellId, { begun: performance.now(), stdout: '', stderr: '', chunks: { stdout: 0, stderr: 0 } });
    },
    write(cellId, { stream, text, isRest = false }) {
      const streams = running.get(cellId);
      if (!streams) return;
      streams[stream] = (streams[stream] + text).slice(-keptCharacters);
      audience.console({ cellId, stream, chunkSeq: isRest ? null : streams.chunks[stream]++, text });
    },
    of: (cellId) => running.get(cellId),
    end: (cellId) => void running.delete(cellId),
  };
}
