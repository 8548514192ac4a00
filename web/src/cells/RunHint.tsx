// What a run would compute and how long that takes, told while one points at its button; the graph marks the same cells.
import { type ReactNode, useState } from 'react';
import { useNotebook } from '../notebook/context.ts';
import { duration, labelOf, type NotebookModel, planOf, type RunForecast } from '../state/index.ts';
import './runHint.css';

const mostNames = 6;

export function RunHint({ cellIds, children }: { cellIds: () => readonly string[]; children: ReactNode }) {
  const { store, view } = useNotebook();
  const [said, setSaid] = useState<string | null>(null);
  const show = (): void => {
    const plan = planOf(store.get(), cellIds());
    if (plan.cellIds.length === 0) return;
    setSaid(wordsOf(store.get(), plan));
    view.send({ kind: 'plan', cellIds: plan.cellIds });
  };
  const hide = (): void => {
    if (said === null) return;
    setSaid(null);
    view.send({ kind: 'plan', cellIds: [] });
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is pressed is the button inside
    <span
      className="run-hint"
      onPointerEnter={show}
      onPointerLeave={hide}
      onFocus={show}
      onBlur={hide}
      onPointerDown={hide}
    >
      {children}
      {said !== null && (
        <span role="tooltip" className="run-hint-text">
          {said}
        </span>
      )}
    </span>
  );
}

/** `Runs 3 cells, ≈ 1.2 s: load, clean, plot` */
function wordsOf(model: NotebookModel, { cellIds, estimateMs, unknown }: RunForecast): string {
  const count = cellIds.length === 1 ? '1 cell' : `${cellIds.length} cells`;
  const time = estimateMs > 0 ? `, ≈ ${duration(estimateMs)}` : '';
  const never = unknown === 0 ? '' : unknown === cellIds.length ? ', never run yet' : `, ${unknown} never run yet`;
  const names = cellIds.slice(0, mostNames).map((id) => labelOf(model, id));
  const more = cellIds.length > mostNames ? `, and ${cellIds.length - mostNames} more` : '';
  return `Runs ${count}${time}${never}: ${names.join(', ')}${more}`;
}
