// The gap between two cells, where a new one can be put.
import { useNotebook } from '../notebook/context.ts';
import { addCell } from '../notebook/structure.ts';
import { Icon } from '../ui/index.ts';

export function InsertStrip({ after }: { after: string }) {
  const session = useNotebook();
  return (
    <div className="insert-strip">
      <button type="button" tabIndex={-1} onClick={() => void addCell(session, after)}>
        <Icon name="plus" size={12} /> Python
      </button>
      <button type="button" tabIndex={-1} onClick={() => void addCell(session, after, 'markdown')}>
        <Icon name="plus" size={12} /> Note
      </button>
      <button type="button" tabIndex={-1} onClick={() => void addCell(session, after, 'sql')}>
        <Icon name="plus" size={12} /> SQL
      </button>
    </div>
  );
}
