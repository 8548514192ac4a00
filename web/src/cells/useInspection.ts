// The prompt of a cell as this page has it: what was asked, what was answered, and what is still being worked on.
import { useEffect, useMemo, useRef, useState } from 'react';
import { useModel, useNotebook } from '../notebook/context.ts';
import type { NotebookModel } from '../state/index.ts';

type Answer = NotebookModel['inspections'][number];

export interface Inspection {
  readonly answers: readonly Answer[];
  /** Asked and not answered yet, the oldest first. */
  readonly waiting: readonly string[];
  /** Why there is no prompt; null where there is one. */
  readonly problem: string | null;
  ask(expression: string): void;
}

/** Somebody else has closed it, or what was asked ended its process. */
const isGone = ({ ok, error }: Answer): boolean =>
  !ok && /^(No inspect session open|The prompt is gone)/.test(error ?? '');

export function useInspection(cellId: string): Inspection {
  const { link } = useNotebook();
  const isLive = useModel(({ connection }) => connection === 'live');
  const all = useModel((model) => model.inspections);
  const ofCell = useMemo(() => all.filter((answer) => answer.cell_id === cellId), [all, cellId]);
  const answers = useMemo(() => ofCell.filter(({ action }) => action === 'eval'), [ofCell]);
  const opened = ofCell.findLast(({ action }) => action === 'open');
  const [waiting, setWaiting] = useState<readonly string[]>([]);
  const isOpen = useRef(false);
  const seen = useRef(answers.at(-1));

  useEffect(() => {
    // A break in the line leaves the prompt as it is; what was asked meanwhile is lost.
    if (!isLive) return setWaiting([]);
    if (!isOpen.current) isOpen.current = link.send('inspect_open', { cell_id: cellId });
  }, [link, cellId, isLive]);
  useEffect(
    () => () => {
      isOpen.current = false;
      link.send('inspect_close', { cell_id: cellId });
    },
    [link, cellId],
  );

  useEffect(() => {
    const fresh = answers.slice(seen.current ? answers.lastIndexOf(seen.current) + 1 : 0);
    seen.current = answers.at(-1);
    if (fresh.length === 0) return;
    // They are answered in their order: what stands before one that is answered was refused.
    setWaiting((before) => fresh.reduce((left, { expr }) => left.slice(left.indexOf(expr ?? '') + 1), before));
    if (fresh.some(isGone)) link.send('inspect_open', { cell_id: cellId });
  }, [answers, link, cellId]);

  return {
    answers,
    waiting,
    problem: opened && !opened.ok ? (opened.error ?? opened.result ?? null) : null,
    ask(expr) {
      if (link.send('inspect_eval', { cell_id: cellId, expr })) setWaiting((before) => [...before, expr]);
    },
  };
}

/** What the prompt says, as people read it. */
export function answerText(answer: Answer): string {
  if (isGone(answer)) return 'The prompt had ended and is open again, without what was defined in it. Ask again.';
  if (!answer.ok) return answer.error ?? '';
  const isSilent = answer.type === 'None' && answer.result === '(no output)';
  return isSilent && answer.stdout ? '' : (answer.result ?? '');
}
