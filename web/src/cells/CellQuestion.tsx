// What a running cell asks, under its console: a line or a password in a field, the next command of its debugger in a panel.
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useNotebook } from '../notebook/context.ts';
import { questionFieldOf } from '../notebook/running.ts';
import type { CellModel } from '../state/index.ts';
import { Button, focusBack } from '../ui/index.ts';
import { useStop } from './useStop.ts';

const Debugger = lazy(() => import('./Debugger.tsx').then((room) => ({ default: room.Debugger })));

type Question = NonNullable<CellModel['question']>;
type LineQuestion = Exclude<Question, { kind: 'debug' }>;

export function CellQuestion({ cell }: { cell: CellModel }) {
  const { id, status, question } = cell;
  const stop = useStop(cell, 'breakpoint');
  if (stop)
    return (
      <Suspense fallback={null}>
        <Debugger cellId={id} stop={stop} />
      </Suspense>
    );
  const asked = question?.kind === 'debug' ? null : question;
  return <AskedLine key={status} cellId={id} question={asked} isRunning={status === 'running'} />;
}

/** Whoever has not pressed a key for so long does not write ahead. */
const pauseMilliseconds = 3000;

/**
 * A field for the question that stands. Between two questions it stays for whoever types in it: their keys are for the next one,
 * and not commands for the cell.
 */
function AskedLine(props: { cellId: string; question: LineQuestion | null; isRunning: boolean }) {
  const { cellId, question, isRunning } = props;
  const [isTypedIn, setTypedIn] = useState(false);
  const [kind, setKind] = useState(question?.kind);
  if (question !== null && question.kind !== kind) setKind(question.kind);
  if (question === null && !(isTypedIn && isRunning)) return null;
  // What was written for a password is seen in no other field.
  return <Line key={kind} cellId={cellId} question={question} isSecret={kind === 'secret'} onTyping={setTypedIn} />;
}

function Line(props: {
  cellId: string;
  question: LineQuestion | null;
  isSecret: boolean;
  onTyping: (isTypedIn: boolean) => void;
}) {
  const { cellId, question, isSecret, onTyping } = props;
  const { link, store, view, lastRun, isReadOnly } = useNotebook();
  const field = useRef<HTMLInputElement>(null);
  const fieldId = questionFieldOf(cellId);
  /** Lines that were entered before they were asked for. */
  const ahead = useRef<string[]>([]);
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);

  useEffect(() => {
    if (question === null) return;
    const entered = ahead.current.shift();
    if (entered !== undefined) {
      link.send('cell_answer', { cell_id: cellId, question_id: question.question_id, text: entered });
      return;
    }
    // Only whoever ran this very cell, or has answered it before, and types nowhere is taken to the field.
    if (lastRun.cellId !== cellId) return;
    const at = document.activeElement;
    const isElsewhere = at?.matches('input, textarea, select, [contenteditable]') || at?.closest('dialog, .panel');
    const isJustRun =
      at?.closest('[data-cell] .code')?.closest(`[data-cell="${cellId}"]`) && !store.get().drafts.has(cellId);
    // Out of the text that was run: what is typed next is the answer, and not text.
    if (isJustRun) view.send({ kind: 'select', cellId });
    if (isJustRun || (view.get().mode === 'command' && !isElsewhere)) field.current?.focus();
  }, [link, store, view, lastRun, cellId, question]);
  useEffect(() => () => clearTimeout(pause.current), []);

  function typing(): void {
    onTyping(true);
    clearTimeout(pause.current);
    pause.current = setTimeout(() => onTyping(field.current?.value !== ''), pauseMilliseconds);
  }

  function answer(text: string | null): void {
    lastRun.cellId = cellId;
    if (question) link.send('cell_answer', { cell_id: cellId, question_id: question.question_id, text });
    else if (text === null) onTyping(false);
    else ahead.current.push(text);
    if (field.current) field.current.value = '';
  }

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
      <label htmlFor={fieldId}>{question === null ? 'For the next question' : labelOf(question)}</label>
      <input
        ref={field}
        id={fieldId}
        className="input mono"
        type={isSecret ? 'password' : 'text'}
        autoComplete={isSecret ? 'new-password' : 'off'}
        spellCheck={false}
        disabled={isReadOnly}
        onKeyDown={(event) => {
          if (event.key === 'Escape') answer(null);
          else typing();
        }}
        onBlur={() => onTyping(false)}
      />
      {!isReadOnly && (
        <div className="question-actions">
          <Button look="primary" type="submit">
            Answer
          </Button>
          <Button look="quiet" type="button" disabled={question === null} onClick={() => answer(null)}>
            Cancel
          </Button>
        </div>
      )}
    </form>
  );
}

const labelOf = ({ prompt, kind }: LineQuestion): string =>
  prompt.trim() || (kind === 'secret' ? 'Password' : 'The cell asks for a line');
