// The question before a run that would bring much data here: it goes to whoever asked for the run, nothing starts meanwhile,
// and a yes sends the same frame again. Whoever wants no such run says nothing.
import { randomBytes } from 'node:crypto';
import type { LargeRead, LiveNotebook, WeighedRun } from '../notebook/index.ts';
import type { ClientFrame } from '../protocol/index.ts';

export interface ReadQuestions {
  /** Starts the run, or gives what has to be confirmed first. Nothing happens when it is cancelled meanwhile. */
  before(frame: ClientFrame, run: WeighedRun, start: () => void): Promise<ReadQuestion | null>;
  /** Remembers the yes and gives the frame that was held back; undefined when it is not waited for any more. */
  confirm(promptId: string): ClientFrame | undefined;
  /** Gives up runs of the cell that are still being weighed. */
  cancel(cellId: string): void;
}

export interface ReadQuestion extends Pick<LargeRead, 'cells'> {
  readonly prompt_id: string;
  readonly message?: string;
}

const waitingMilliseconds = 600_000;
/** Of one notebook; the oldest question goes first. */
const mostWaiting = 32;

export function createReadQuestions(live: Pick<LiveNotebook, 'reads'>, now: () => number = Date.now): ReadQuestions {
  const waiting = new Map<string, { frame: ClientFrame; read: LargeRead; until: number }>();
  const weighing = new Set<{ readonly cells: readonly string[]; readonly stop: AbortController }>();

  function keep(frame: ClientFrame, read: LargeRead): ReadQuestion {
    const prompt_id = randomBytes(16).toString('hex');
    waiting.set(prompt_id, { frame, read, until: now() + waitingMilliseconds });
    for (const id of [...waiting.keys()].slice(0, -mostWaiting)) waiting.delete(id);
    return { prompt_id, cells: read.cells, ...(read.message === null ? {} : { message: read.message }) };
  }

  return {
    async before(frame, run, start) {
      if (!live.reads.isAsked) {
        start();
        return null;
      }
      const attempt = { cells: run.cells, stop: new AbortController() };
      weighing.add(attempt);
      const read = await live.reads.over(run, attempt.stop.signal).finally(() => weighing.delete(attempt));
      if (attempt.stop.signal.aborted) return null;
      if (read !== null) return keep(frame, read);
      start();
      return null;
    },
    confirm(promptId) {
      const asked = waiting.get(promptId);
      waiting.delete(promptId);
      if (!asked || asked.until < now()) return undefined;
      live.reads.agree(asked.read);
      return asked.frame;
    },
    cancel(cellId) {
      for (const { cells, stop } of weighing) if (cells.includes(cellId)) stop.abort();
    },
  };
}
