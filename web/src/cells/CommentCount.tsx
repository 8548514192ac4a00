// How many comments on a cell are open; pressing it shows them.
import { useModel, useNotebook } from '../notebook/context.ts';
import './comments.css';

export function CommentCount({ cellId }: { cellId: string }) {
  const { view } = useNotebook();
  const open = useModel(
    (model) => model.comments.filter((one) => one.cell_id === cellId && one.resolved_by === null).length,
  );
  if (open === 0) return null;
  return (
    <button
      type="button"
      className="comment-count"
      onClick={() => view.send({ kind: 'tool', cellId, tool: 'comments' })}
    >
      {open} {open === 1 ? 'comment' : 'comments'}
    </button>
  );
}
