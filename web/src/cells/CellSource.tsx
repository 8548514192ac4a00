// The source of a cell, at rest or being edited, and what is wrong with it line by line.
import { memo, useMemo } from 'react';
import { CodeEditor } from '../editor/CodeEditor.tsx';
import { CursorsOverText } from '../editor/CursorsOverText.tsx';
import { type Place, StaticCode } from '../editor/StaticCode.tsx';
import { mayStop, noBreakpoints, toggleBreakpoint } from '../notebook/breakpoints.ts';
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
  const stops = useView((view) => view.breakpoints.get(cell.id) ?? noBreakpoints);
  const session = useNotebook();
  const marked = useMemo(() => failedLines(cell), [cell]);
  const stopped = useMemo(() => stoppedLines(cell), [cell]);
  const onBeside = useMemo(
    () => (mayStop(session, cell.language) ? (line: number) => toggleBreakpoint(session, cell.id, line) : undefined),
    [session, cell.id, cell.language],
  );
  return (
    <div className={onBeside && `may-stop${stopped ? ' is-stopped' : ''}`}>
      {isEditing ? (
        <CodeEditor
          cellId={cell.id}
          language={cell.language}
          label={`Source of ${props.label}`}
          marked={stopped ?? marked}
          stops={stops}
          onBeside={onBeside}
          at={at}
        />
      ) : (
        <div className="code-place">
          <StaticCode
            source={text}
            language={cell.language}
            marked={stopped ?? marked}
            stops={stops}
            onBeside={onBeside}
            isNumbered={isNumbered}
            onEdit={onEdit}
          />
          <CursorsOverText cellId={cell.id} text={text} />
        </div>
      )}
      <Diagnostics cell={cell} />
    </div>
  );
});

/** The last place in this cell that an error came through. */
function failedLines({ id, problem, status }: CellModel): ReadonlySet<number> {
  if (status !== 'error') return noLines;
  const line = problem?.frames.findLast(({ cell_id }) => cell_id === id)?.line ?? null;
  return line === null ? noLines : new Set([line]);
}

/** Where the run stands, as long as it stands in this cell. */
function stoppedLines({ id, question }: CellModel): ReadonlySet<number> | null {
  if (question?.kind !== 'debug' || question.reason !== 'breakpoint') return null;
  const frame = question.frames.find(({ at }) => at === question.at);
  return frame?.cell_id === id && frame.line !== null ? new Set([frame.line]) : null;
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
