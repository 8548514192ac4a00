// What a change of several cells would write, line by line.
import type { ExplicitPreviewBody } from '../../../src/protocol/index.ts';
import { labelOf, type NotebookModel } from '../state/index.ts';
import { useNotebook } from './context.ts';

export function placeOf(model: NotebookModel, cellId: string): string {
  const [label, number] = [labelOf(model, cellId), `cell ${model.order.indexOf(cellId) + 1}`];
  return label === number ? label : `${label}, ${number},`;
}

export function ChangedCells({ changes }: Pick<ExplicitPreviewBody, 'changes'>) {
  const model = useNotebook().store.get();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keys too
    <section className="explicit-changes" tabIndex={0} aria-label="What changes, by cell">
      {changes.map(({ cell_id, lines }) => (
        <section key={cell_id} aria-label={placeOf(model, cell_id)}>
          <h3>{placeOf(model, cell_id).replace(/,$/, '')}</h3>
          {lines.map(({ line, before, after }) => (
            <pre key={line}>
              {before !== null && <del>{before}</del>}
              <ins>{after}</ins>
            </pre>
          ))}
        </section>
      ))}
    </section>
  );
}
