// A note: rendered where it stands, source when it is edited.
import type { Place } from '../editor/StaticCode.tsx';
import { useModel } from '../notebook/context.ts';
import { Markdown } from '../outputs/Markdown.tsx';
import { type CellModel, textOf } from '../state/index.ts';
import { CellSource } from './CellSource.tsx';

export function MarkdownCell(props: {
  cell: CellModel;
  isEditing: boolean;
  at: Place | null;
  onEdit: (place: Place | null) => void;
}) {
  const text = useModel((model) => textOf(model, props.cell.id));
  if (props.isEditing) return <CellSource {...props} label="note" />;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Enter on the cell does the same
    <div className="note-body" onDoubleClick={() => props.onEdit(null)}>
      {text.trim() === '' ? (
        <p className="note-empty">An empty note. Press Enter to write it.</p>
      ) : (
        <Markdown text={text} />
      )}
    </div>
  );
}
