// Help from a model: what is asked and what is sent is said before, what would change is shown, and nothing changes until it is
// accepted.
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import type { AskedTask } from '../notebook/assistCommands.ts';
import { useModel, useNotebook } from '../notebook/context.ts';
import { labelOf, textOf, useStore } from '../state/index.ts';
import { Button, Dialog, Field, Message, Progress } from '../ui/index.ts';
import { tabKept } from '../ui/kept.ts';
import { accept } from './accept.ts';
import { Diff } from './Diff.tsx';
import { Sent } from './Sent.tsx';
import { type Answer, useAnswer } from './useAnswer.ts';
import './assist.css';

const Markdown = lazy(() => import('../outputs/Markdown.tsx').then((room) => ({ default: room.Markdown })));

const titles: Readonly<Record<AskedTask, (label: string) => string>> = {
  fix: (label) => `Fix ${label}`,
  explain: (label) => `Explain ${label}`,
  edit: (label) => `Edit ${label} with a model`,
  write: () => 'Write a cell with a model',
};

const fields: Readonly<Record<AskedTask, string>> = {
  fix: 'Anything to add? (optional)',
  explain: 'What would you like to know? (optional)',
  edit: 'What should change?',
  write: 'What should the cell do?',
};

const isTask = (subject: string | null): subject is AskedTask => subject !== null && subject in titles;

export function AssistDialog({ subject, onClose }: { subject: string | null; onClose: () => void }) {
  const task = isTask(subject) ? subject : 'write';
  const session = useNotebook();
  const { model, host } = useStore(session.assistant, (offer) => offer);
  const [{ cellId, label, base }] = useState(() => subjectOf(session));
  const written = useModel(({ path }) => `svc.assist:${path}:${task}:${task === 'write' ? '' : cellId}`);
  const [instruction, setInstruction] = useState(() => tabKept.getItem(written) ?? '');
  const [withValues, setWithValues] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const { answer, ask, stop } = useAnswer(session.sessionId);
  const wish = useMemo(
    () => ({
      task,
      cell_id: cellId,
      ...(task === 'write' ? {} : { source: base }),
      instruction,
      include_values: withValues,
    }),
    [task, cellId, base, instruction, withValues],
  );
  // Until something comes of it: a server that is started again, or Escape, ends the dialog.
  useEffect(() => {
    if (instruction === '') tabKept.removeItem(written);
    else tabKept.setItem(written, instruction);
  }, [written, instruction]);
  // What was typed last belongs to what the proposal is held against.
  useEffect(() => session.link.flush(), [session]);

  const needsWords = task === 'edit' || task === 'write';
  const isComing = answer.state === 'coming';
  const to = model === null ? 'the model' : `${model} at ${host}`;

  function close(): void {
    if (answer.state === 'done') tabKept.removeItem(written);
    onClose();
  }

  async function take(source: string, from: string): Promise<void> {
    const changed = task === 'write' ? null : cellId;
    const refused = await accept(session, { cellId: changed, after: cellId, base, source, model: from });
    if (refused === null) close();
    else setProblem(refused);
  }

  return (
    <Dialog title={titles[task](label)} onClose={close} wide>
      <form
        className="assist"
        onSubmit={(event) => {
          event.preventDefault();
          setProblem(null);
          ask(wish);
        }}
      >
        <Field label={fields[task]}>
          {(id) => (
            <textarea
              id={id}
              className="input"
              rows={2}
              value={instruction}
              onChange={(event) => setInstruction(event.target.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
                  event.currentTarget.form?.requestSubmit();
              }}
            />
          )}
        </Field>
        <label className="assist-values">
          <input type="checkbox" checked={withValues} onChange={(event) => setWithValues(event.target.checked)} />
          Send values and printed text too; otherwise only names, types and columns
        </label>
        <Sent sessionId={session.sessionId} wish={wish} to={to} />
        <AnswerView answer={answer} task={task} base={task === 'write' ? '' : base} />
        {problem !== null && <Message tone="error">{problem}</Message>}
        <footer>
          {isComing && (
            <Button type="button" onClick={stop}>
              Stop
            </Button>
          )}
          {!isComing && (
            <Button type="button" onClick={close}>
              {answer.state === 'done' && answer.source !== null ? 'Discard' : 'Close'}
            </Button>
          )}
          {!isComing && (
            <Button
              type="submit"
              look={answer.state === 'done' ? 'plain' : 'primary'}
              disabled={model === null || (needsWords && instruction.trim() === '')}
            >
              {answer.state === 'none' ? `Ask ${model ?? 'the model'}` : 'Ask again'}
            </Button>
          )}
          {answer.state === 'done' && answer.source !== null && (
            <Button
              look="primary"
              disabled={session.isReadOnly || (task !== 'write' && answer.source === base)}
              onClick={() => void take(answer.source ?? '', answer.model)}
            >
              {task === 'write' ? 'Add this cell' : 'Accept'}
            </Button>
          )}
        </footer>
      </form>
    </Dialog>
  );
}

/** What the dialog is about is fixed when it opens. */
function subjectOf({ view, store }: ReturnType<typeof useNotebook>) {
  const cellId = view.get().selected;
  const model = store.get();
  return {
    cellId,
    label: cellId === null ? 'the cell' : labelOf(model, cellId),
    base: cellId === null ? '' : textOf(model, cellId),
  };
}

function AnswerView({ answer, task, base }: { answer: Answer; task: AskedTask; base: string }) {
  switch (answer.state) {
    case 'none':
      return null;
    case 'failed':
      return <Message tone="error">{answer.message}</Message>;
    case 'coming':
      return (
        <div className="assist-coming" aria-live="off">
          <Progress value={null} label="The model is answering" />
          {answer.notice !== null && <p>{answer.notice}</p>}
          {answer.text !== '' && <pre>{answer.text}</pre>}
        </div>
      );
    case 'done': {
      const isSame = task !== 'write' && answer.source === base;
      return (
        <div className="assist-answer" role="status">
          {task !== 'explain' && answer.source === null && <p>The model answered without code.</p>}
          {isSame && <p>The model proposes no changes.</p>}
          {answer.source !== null && !isSame && <Diff before={base} after={answer.source} />}
          {answer.words !== '' && (
            <Suspense fallback={<p>{answer.words}</p>}>
              <Markdown text={answer.words} />
            </Suspense>
          )}
        </div>
      );
    }
  }
}
