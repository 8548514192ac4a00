// A failure looked into, in the process of the cell that failed. Where that is gone, the cell runs once more for it.
import { useCell, useNotebook } from '../notebook/context.ts';
import { focusBack, IconButton } from '../ui/index.ts';
import { useLingering } from './CellQuestion.tsx';
import { Debugger } from './Debugger.tsx';
import './tools.css';

export function FailureTool({ cellId }: { cellId: string }) {
  const { link, view } = useNotebook();
  const cell = useCell(cellId);
  const question = cell?.question?.kind === 'debug' && cell.question.reason === 'failure' ? cell.question : null;
  const shown = useLingering(question);
  if (!cell) return null;
  const close = () => {
    if (question) link.send('cell_answer', { cell_id: cellId, question_id: question.question_id, text: 'quit' });
    view.send({ kind: 'tool', cellId, tool: null });
  };
  return (
    <div ref={focusBack} className="failure-tool">
      {shown ? (
        <Debugger cellId={cellId} question={shown} isWaiting={question === null} />
      ) : (
        <section className="tool" aria-label="Inspect this failure">
          <p className="tool-none" role="status">
            {absence(cell.status)}
          </p>
        </section>
      )}
      <IconButton icon="close" label="Close" onClick={close} />
    </div>
  );
}

function absence(status: string): string {
  if (status === 'running') return 'Running the cell once more, to stop where it fails …';
  if (status === 'error')
    return 'The process of this failure has ended. Press Inspect this failure to run the cell once more.';
  return 'The cell did not fail this time.';
}
