// What a cell reads of another, or another of it, can neither be kept nor made anew: said before the run, with the way out.
import { useModel, useNotebook } from '../notebook/context.ts';
import { joinCells } from '../notebook/structure.ts';
import { type CellModel, labelOf } from '../state/index.ts';
import { Button } from '../ui/index.ts';

export function JoinNotice({ cell }: { cell: CellModel }) {
  return cell.toJoin.map((advice) => <Advice key={advice.name} cellId={cell.id} advice={advice} />);
}

function Advice({ cellId, advice }: { cellId: string; advice: CellModel['toJoin'][number] }) {
  const session = useNotebook();
  const others = useModel((model) =>
    advice.cell_ids
      .filter((id) => id !== cellId)
      .map((id) => labelOf(model, id))
      .join(', '),
  );
  const [, before = '', name = '', after = ''] = /^(.*?)`(.*?)`(.*)$/.exec(advice.message) ?? ['', advice.message];
  return (
    <section className="join-notice" aria-label="Cells to be joined">
      <p>
        {before}
        {name !== '' && <code>{name}</code>}
        {after}
      </p>
      <Button disabled={session.isReadOnly} onClick={() => void joinCells(session, advice.cell_ids)}>
        Join cells
      </Button>
      <span className="quiet">this one and {others}</span>
    </section>
  );
}
