// Questions of running cells to whoever watches: one at a time for each cell, told to everybody; the first answer counts. What
// was answered is handed to the cell and kept nowhere.
import { randomUUID } from 'node:crypto';
import type { CellQuestion } from '../../protocol/index.ts';
import type { Answer, Ask, Question } from '../../runtimes/index.ts';
import type { Audience } from './audience.ts';
import type { StopsAt } from './cellWork.ts';

/** Who answers the questions of a run, beside those who watch the notebook. */
export interface Asking {
  /** Whoever started it, in their own way: nobody else is asked. */
  readonly ask?: Ask | undefined;
  /** Whoever started it watches the questions, though no page is open. */
  readonly isAnswered?: boolean | undefined;
  /** Lines at which cells of the run stop, by the cell. */
  readonly stopsAt?: StopsAt | undefined;
  /** Its process stays when it fails. */
  readonly keepsFailure?: boolean | undefined;
}

export interface Questions {
  /** How a cell of such a run asks; undefined where nobody could answer. */
  asker(cellId: string, asking: Asking): Ask | undefined;
  of(cellId: string): CellQuestion | undefined;
  /** The question that stands, or the next one; undefined when the signal ends the waiting. */
  next(cellId: string, signal: AbortSignal): Promise<CellQuestion | undefined>;
  /** `text`: null cancels it. False when the question is over. */
  answer(cellId: string, questionId: string, text: string | null): boolean;
}

export interface QuestionParts {
  readonly audience: Pick<Audience, 'broadcast' | 'isAnswered'>;
  /** How long a question waits; 0: nobody is asked. */
  readonly seconds: number;
}

interface Open {
  readonly question: CellQuestion;
  readonly resolve: (answer: Answer) => void;
}

export function createQuestions({ audience, seconds }: QuestionParts): Questions {
  const open = new Map<string, Open>();
  /** Of parts of one cell that run side by side, each waits for its turn. */
  const turns = new Map<string, Promise<unknown>>();
  const listeners = new Set<(cellId: string) => void>();

  function tell(cellId: string): void {
    audience.broadcast('cell_question', { cell_id: cellId, question: open.get(cellId)?.question ?? null });
    for (const listen of listeners) listen(cellId);
  }

  async function put(cellId: string, question: Question, signal: AbortSignal): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const cancel = (): void => resolve({ unanswered: 'cancelled' });
    if (signal.aborted) return { unanswered: 'cancelled' };
    const timer = setTimeout(() => resolve({ unanswered: 'timeout', seconds }), seconds * 1000);
    signal.addEventListener('abort', cancel);
    open.set(cellId, { question: { question_id: randomUUID(), ...question }, resolve });
    tell(cellId);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      open.delete(cellId);
      tell(cellId);
    }
  }

  function inTurn(cellId: string, question: Question, signal: AbortSignal): Promise<Answer> {
    const answer = (turns.get(cellId) ?? Promise.resolve()).then(() => put(cellId, question, signal));
    turns.set(cellId, answer);
    return answer;
  }

  return {
    asker(cellId, { ask, isAnswered = false }) {
      if (ask) return ask;
      if (seconds === 0 || !(isAnswered || audience.isAnswered())) return undefined;
      return (question, signal) => inTurn(cellId, question, signal);
    },
    of: (cellId) => open.get(cellId)?.question,
    next(cellId, signal) {
      const { promise, resolve } = Promise.withResolvers<CellQuestion | undefined>();
      const end = (): void => {
        listeners.delete(settleIfDone);
        resolve(open.get(cellId)?.question);
      };
      const settleIfDone = (changed: string): void => {
        if (changed === cellId && open.has(cellId)) end();
      };
      listeners.add(settleIfDone);
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
      settleIfDone(cellId);
      return promise;
    },
    answer(cellId, questionId, text) {
      const asked = open.get(cellId);
      if (asked?.question.question_id !== questionId) return false;
      asked.resolve(text === null ? { unanswered: 'cancelled' } : { text });
      open.delete(cellId);
      return true;
    },
  };
}
