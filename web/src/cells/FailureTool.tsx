// A failure looked into, in the process of the cell that failed. Where that is gone, the cell runs once more for it.
import { useCell, useNotebook } from '../notebook/context.ts';
import type { CellModel } from '../state/index.ts';
import { focusBack, IconButton } from '../ui/index.ts';
import { Debugger } from './Debugger.tsx';
import { useStop } from './useStop.ts';
import './tools.css';

export function FailureTool({ cellId }: { cellId: string }) {
  const cell = useCell(cellId);
  return cell ? <LookedInto cell={cell} /> : null;
}

function LookedInto({ cell }: { cell: CellModel }) {
  const { view } = useNotebook();
  const stop = useStop(cell, 'failure');
  return (
    <div ref={focusBack} className="failure-tool">
      {stop ? (
        <Debugger cellId={cell.id} stop={stop} />
      ) : (
        <section className="tool" aria-label="Inspect this failure">
          <p className="tool-none" role="status">
            {absence(cell.status)}
          </p>
        </section>
      )}
      <IconButton icon="close" label="Close" onClick={() => view.send({ kind: 'tool', cellId: cell.id, tool: null })} />
    </div>
  );
}

function absence(status: string): string {
  if (status === 'running') return 'Running the cell once more, to stop where it fails …';
  if (status === 'error')
    return 'The process of this failure has ended. Press Inspect this failure to run the cell once more.';
  return 'The cell did not fail this time.';
}
