// The source of a cell, at rest or being edited, and what is wrong with it line by line.
import { memo, useMemo } from 'react';
import { CodeEditor } from '../editor/CodeEditor.tsx';
import { CursorsOverText } from '../editor/CursorsOverText.tsx';
import { type Place, StaticCode } from '../editor/StaticCode.tsx';
import { useModel, useNotebook, useView } from '../notebook/context.ts';
import { type CellModel, redefinitions, textOf, warningsOf } from '../state/index.ts';
import { Icon } from '../ui/index.ts';

const noLines: ReadonlySet<number> = new Set();

export const CellSource = memo(function CellSource(props: {
  cell: CellModel;
  isEditing: boolean;
  label: string;
  at: Place | null;
  onEdit: (place: Place | null) => void;
}) {
  const { cell, isEditing, at, onEdit } = props;
  const text = useModel((model) => textOf(model, cell.id));
  const isNumbered = useView((view) => view.lineNumbers);
  const marked = useMemo(() => failedLines(cell), [cell]);
  return (
    <>
      {isEditing ? (
        <CodeEditor
          cellId={cell.id}
          language={cell.language}
          label={`Source of ${props.label}`}
          marked={marked}
          at={at}
        />
      ) : (
        <div className="code-place">
          <StaticCode source={text} language={cell.language} marked={marked} isNumbered={isNumbered} onEdit={onEdit} />
          <CursorsOverText cellId={cell.id} text={text} />
        </div>
      )}
      <Diagnostics cell={cell} />
    </>
  );
});

/** The last place in this cell that an error came through. */
function failedLines({ id, problem, status }: CellModel): ReadonlySet<number> {
  if (status !== 'error') return noLines;
  const line = problem?.frames.findLast(({ cell_id }) => cell_id === id)?.line ?? null;
  return line === null ? noLines : new Set([line]);
}

const lines = (text: string): readonly string[] => (text === '' ? [] : text.split('\n'));

function Diagnostics({ cell }: { cell: CellModel }) {
  const { view } = useNotebook();
  const redefined = useModel((model) => redefinitions(model, cell).join('\n'));
  const remarks = [
    ...cell.diagnostics.map(({ severity, message, line }) => ({ severity, message, line })),
    ...[...lines(redefined), ...warningsOf(cell)].map((message) => ({ severity: 'warn', message, line: null })),
  ];
  if (remarks.length === 0) return null;
  return (
    <ul className="remarks">
      {remarks.map(({ severity, message, line }) => (
        <li key={`${line}${message}`} className={severity}>
          <Icon name="warn" size={14} />
          {line !== null && (
            <button
              type="button"
              className="text-button"
              onClick={() => view.send({ kind: 'jump', cellId: cell.id, line })}
            >
              line {line}
            </button>
          )}
          <span>{message}</span>
        </li>
      ))}
    </ul>
  );
}
