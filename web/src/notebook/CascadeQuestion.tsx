// A cell whose inputs are not ready: what would run first, what it would cost, and what a run would touch below.
import { useState } from 'react';
import { duration, labelOf } from '../state/index.ts';
import { Button, focusBack } from '../ui/index.ts';
import { useModel, useNotebook } from './context.ts';
import { agreeToCascade, chooseAskAbove, runCell } from './running.ts';

export function CascadeQuestion({ cellId }: { cellId: string }) {
  return (
    <>
      <Cascade cellId={cellId} />
      <Impact cellId={cellId} />
    </>
  );
}

function Cascade({ cellId }: { cellId: string }) {
  const session = useNotebook();
  const cascade = useModel((model) => model.cascades.find((one) => one.cell_id === cellId) ?? null);
  const names = useModel((model) =>
    (cascade?.cells_to_run ?? [])
      .filter((id) => id !== cellId)
      .map((id) => labelOf(model, id))
      .join(', '),
  );
  const [isRemembered, setRemembered] = useState(false);
  if (!cascade) return null;
  const above = cascade.cells_to_run.length - 1;
  return (
    <div ref={focusBack} className="question" role="alertdialog" aria-label="Cells above must run first">
      <p>
        {above === 1 ? 'One cell' : `${above} cells`} above must run first: <b>{names}</b>
        {cascade.estimated_duration_ms > 0 && ` (≈ ${duration(cascade.estimated_duration_ms)})`}
      </p>
      <div className="question-actions">
        <Button
          look="primary"
          autoFocus
          onClick={() => {
            if (isRemembered) chooseAskAbove(Number.POSITIVE_INFINITY);
            agreeToCascade(session, cascade);
          }}
        >
          Run {cascade.cells_to_run.length} cells
        </Button>
        <Button
          onClick={() => {
            session.store.send({ kind: 'cascadeAnswered', cellId });
            runCell(session, cellId, 'cell_execute_force');
          }}
        >
          Only this one
        </Button>
        <Button look="quiet" onClick={() => session.store.send({ kind: 'cascadeAnswered', cellId })}>
          Cancel
        </Button>
        <label>
          <input type="checkbox" checked={isRemembered} onChange={(event) => setRemembered(event.target.checked)} /> Do
          not ask again
        </label>
      </div>
    </div>
  );
}

function Impact({ cellId }: { cellId: string }) {
  const session = useNotebook();
  const impact = useModel((model) => (model.impact?.target_cell_id === cellId ? model.impact : null));
  if (!impact) return null;
  const above = impact.upstream.filter(({ cell_id }) => cell_id !== cellId);
  const list = (cells: readonly { readonly cell_id: string }[]): string =>
    cells.map(({ cell_id }) => labelOf(session.store.get(), cell_id)).join(', ') || 'nothing';
  return (
    <section ref={focusBack} className="question" aria-label="What a run would touch">
      <p>
        Runs first: <b>{list(above)}</b>. Becomes stale below: <b>{list(impact.downstream)}</b>.
        {impact.estimated_ms > 0 && ` About ${duration(impact.estimated_ms)}.`}
      </p>
      <div className="question-actions">
        <Button
          look="primary"
          onClick={() => {
            session.store.send({ kind: 'dismissed', what: 'impact' });
            runCell(session, cellId);
          }}
        >
          Run
        </Button>
        <Button look="quiet" onClick={() => session.store.send({ kind: 'dismissed', what: 'impact' })}>
          Close
        </Button>
      </div>
    </section>
  );
}
