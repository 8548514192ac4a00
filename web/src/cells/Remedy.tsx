// One press for what nearly everyone does next after certain errors: a query that means a table of another cell, a prompt
// without a key.
import { useModel, useNotebook } from '../notebook/context.ts';
import { runCell } from '../notebook/running.ts';
import { replaceText } from '../notebook/structure.ts';
import { type CellModel, labelOf, type NotebookModel, type Problem, textOf } from '../state/index.ts';
import { Button } from '../ui/index.ts';

export function Remedy({ cell, problem }: { cell: CellModel; problem: Problem }) {
  const { view } = useNotebook();
  if (cell.language === 'sql') return <TableOfCell cell={cell} problem={problem} />;
  if (problem.type !== 'NoApiKey') return null;
  return (
    <Button look="primary" onClick={() => view.send({ kind: 'panel', panel: 'settings' })}>
      Add a key
    </Button>
  );
}

/** A query says `FROM sales` and means what another cell calls `sales`; that is written `:sales`. */
function TableOfCell({ cell, problem }: { cell: CellModel; problem: Problem }) {
  const session = useNotebook();
  const [, table = ''] = /Table with name (\w+) does not exist/.exec(problem.message) ?? [];
  const maker = useModel((model) => makerOf(model, cell.id, table));
  if (maker === null) return null;
  const read = () => {
    const text = textOf(session.store.get(), cell.id);
    replaceText(session, cell.id, text.replace(new RegExp(`\\b(FROM|JOIN)(\\s+)${table}\\b`, 'gi'), `$1$2:${table}`));
    runCell(session, cell.id);
  };
  return (
    <>
      <Button look="primary" onClick={read}>
        Read :{table}
      </Button>
      <span className="quiet">
        {table} is defined in {maker}; a query reads it with a colon
      </span>
    </>
  );
}

function makerOf(model: NotebookModel, cellId: string, name: string): string | null {
  const above = model.order.slice(0, model.order.indexOf(cellId));
  const maker = above.findLast((id) => model.cells.get(id)?.defines.includes(name));
  return maker === undefined ? null : labelOf(model, maker);
}
