// What a running cell asks, under its console: a line or a password in a field, the next command of its debugger in a panel.
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useNotebook } from '../notebook/context.ts';
import type { CellModel } from '../state/index.ts';
import { Button, focusBack } from '../ui/index.ts';

const Debugger = lazy(() => import('./Debugger.tsx').then((room) => ({ default: room.Debugger })));

type Question = NonNullable<CellModel['question']>;
type DebugQuestion = Extract<Question, { kind: 'debug' }>;

/** Between two commands of a debugger nothing is asked for a moment. */
const lingerMilliseconds = 400;

export function CellQuestion({ cell }: { cell: CellModel }) {
  const { question } = cell;
  const stopped = useLingering(question?.kind === 'debug' && question.reason === 'breakpoint' ? question : null);
  if (stopped)
    return (
      <Suspense fallback={null}>
        <Debugger cellId={cell.id} question={stopped} isWaiting={question === null} />
      </Suspense>
    );
  if (question === null || question.kind === 'debug') return null;
  return <AskedLine key={question.question_id} cellId={cell.id} question={question} />;
}

export function useLingering(question: DebugQuestion | null): DebugQuestion | null {
  const [shown, setShown] = useState(question);
  if (question !== null && question !== shown) setShown(question);
  useEffect(() => {
    if (question !== null) return;
    const timer = setTimeout(() => setShown(null), lingerMilliseconds);
    return () => clearTimeout(timer);
  }, [question]);
  return question ?? shown;
}

function AskedLine({ cellId, question }: { cellId: string; question: Exclude<Question, DebugQuestion> }) {
  const { link, view, lastRun, isReadOnly } = useNotebook();
  const field = useRef<HTMLInputElement>(null);
  const { question_id, kind, prompt } = question;
  const isSecret = kind === 'secret';

  useEffect(() => {
    // Only whoever ran this very cell and types nowhere is taken to the field.
    const at = document.activeElement;
    const isElsewhere = at?.matches('input, textarea, select, [contenteditable]') || at?.closest('dialog, .panel');
    if (lastRun.cellId === cellId && view.get().mode === 'command' && !isElsewhere) field.current?.focus();
  }, [view, lastRun, cellId]);

  const answer = (text: string | null) => link.send('cell_answer', { cell_id: cellId, question_id, text });
  const label = prompt.trim() === '' ? (isSecret ? 'Password' : 'The cell asks for a line') : prompt.trim();
  return (
    <form
      ref={focusBack}
      className="question asked"
      aria-label="The cell asks"
      onSubmit={(event) => {
        event.preventDefault();
        answer(field.current?.value ?? '');
      }}
    >
      <label htmlFor={question_id}>{label}</label>
      <input
        ref={field}
        id={question_id}
        className="input mono"
        type={isSecret ? 'password' : 'text'}
        autoComplete={isSecret ? 'new-password' : 'off'}
        spellCheck={false}
        disabled={isReadOnly}
        onKeyDown={(event) => {
          if (event.key === 'Escape') answer(null);
        }}
      />
      {!isReadOnly && (
        <div className="question-actions">
          <Button look="primary" type="submit">
            Answer
          </Button>
          <Button look="quiet" type="button" onClick={() => answer(null)}>
            Cancel
          </Button>
        </div>
      )}
    </form>
  );
}
