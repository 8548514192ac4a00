// Changes of an environment that wait for their turn: while a job or a cell runs, what is asked for is kept, shown to everybody,
// and can be taken back until it begins.
import { randomUUID } from 'node:crypto';
import { type JobRequest, labelOfRequest, type StartedJob } from '../../environments/index.ts';
import { Refusal, refusals } from '../../errors/index.ts';
import type { QueuedJob } from '../../protocol/index.ts';

export interface JobQueue {
  list(): readonly QueuedJob[];
  /** Starts the job, or puts it behind those that wait. */
  ask(request: JobRequest): void;
  /** False when it does not wait any more. */
  takeBack(id: string): boolean;
  /** A job or a run is over: the next one may begin. */
  startNext(): void;
}

export interface JobQueueParts {
  readonly start: (request: JobRequest) => StartedJob;
  readonly told: (jobs: readonly QueuedJob[]) => void;
  /** Its turn came, and it was refused. */
  readonly refused: (job: QueuedJob, reason: string) => void;
}

const mostWaiting = 32;

interface Waiting {
  readonly shown: QueuedJob;
  readonly request: JobRequest;
}

export function createJobQueue({ start, told, refused }: JobQueueParts): JobQueue {
  let waiting: readonly Waiting[] = [];
  const list = (): QueuedJob[] => waiting.map(({ shown }) => shown);

  function put(next: readonly Waiting[]): void {
    waiting = next;
    told(list());
  }

  function startNext(): void {
    const [next, ...others] = waiting;
    if (!next) return;
    try {
      start(next.request);
      put(others);
    } catch (error) {
      if (isBusy(error)) return;
      put(others);
      refused(next.shown, error instanceof Error ? error.message : String(error));
      startNext();
    }
  }

  return {
    list,
    startNext,
    ask(request) {
      if (waiting.length >= mostWaiting) throw refusals.tooManyJobsWait(waiting.length);
      if (waiting.length === 0) {
        try {
          start(request);
          return;
        } catch (error) {
          if (!isBusy(error)) throw error;
        }
      }
      const { action } = request;
      put([
        ...waiting,
        { request, shown: { id: randomUUID(), action, label: labelOfRequest(request), asked_at: Date.now() } },
      ]);
    },
    takeBack(id) {
      const others = waiting.filter(({ shown }) => shown.id !== id);
      if (others.length === waiting.length) return false;
      put(others);
      return true;
    },
  };
}

const isBusy = (error: unknown): boolean =>
  error instanceof Refusal && Object(error.detail).code === 'ENVIRONMENT_BUSY';
