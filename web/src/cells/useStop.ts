// Where the debugger of a cell stands, as long as somebody looks at it.
import { useEffect, useState } from 'react';
import { useNotebook } from '../notebook/context.ts';
import type { CellModel } from '../state/index.ts';

type DebugQuestion = Extract<NonNullable<CellModel['question']>, { kind: 'debug' }>;

/** Between two commands nothing is asked for a moment. */
const lingerMilliseconds = 400;

export interface Stop {
  /** The last one, while what was given is worked on. */
  readonly question: DebugQuestion;
  readonly isWaiting: boolean;
  /** What was given here takes long. */
  readonly isAtWork: boolean;
  give(command: string): void;
}

/** Where a debugger stands. What was given here may take long: what was said and is being written stays until it is done. */
export function useStop({ id, status, question }: CellModel, reason: DebugQuestion['reason']): Stop | null {
  const { link } = useNotebook();
  const asked = question?.kind === 'debug' && question.reason === reason ? question : null;
  const [shown, setShown] = useState(asked);
  /** How the cell stood when a command was given here. */
  const [given, setGiven] = useState<string | null>(null);
  const [isLong, setLong] = useState(false);
  if (asked !== null && asked !== shown) {
    setShown(asked);
    setGiven(null);
  }
  const isUnderWay = asked === null && given === status;
  useEffect(() => {
    setLong(false);
    if (asked !== null) return;
    const timer = setTimeout(() => (isUnderWay ? setLong(true) : setShown(null)), lingerMilliseconds);
    return () => clearTimeout(timer);
  }, [asked, isUnderWay]);
  const last = asked ?? shown;
  if (last === null) return null;
  return {
    question: last,
    isWaiting: asked === null,
    isAtWork: isUnderWay && isLong,
    give(command) {
      const isSent = link.send('cell_answer', { cell_id: id, question_id: last.question_id, text: command });
      if (isSent && !/^(q|quit|exit)$/.test(command.trim())) setGiven(status);
    },
  };
}
