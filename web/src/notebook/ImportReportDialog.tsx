// What an import did to each cell, and what it could not take along.
import { kindOf, usualLanguage } from '../../../src/cellLanguages.ts';
import type { ForeignReport, SnapshotReport } from '../../../src/protocol/index.ts';
import { isForeign, reportOf } from '../importReports.ts';
import { labelOf } from '../state/index.ts';
import { Button, Dialog, Message } from '../ui/index.ts';
import { useNotebook } from './context.ts';
import { DataFiles } from './DataFiles.tsx';
import { joinCells } from './structure.ts';

const words: Readonly<Record<ForeignReport['findings'][number]['kind'], string>> = {
  translated: 'rewritten as plain Python',
  kept: 'kept as it is; it works here',
  dropped: 'removed',
  silenced: 'shows nothing, as its last line ended in a semicolon',
  differs: '',
  continued: '',
};

export function ImportReportDialog({ onClose }: { onClose: () => void }) {
  const { store } = useNotebook();
  const report = reportOf(store.get().path)?.report;
  if (!report) return null;
  return (
    <Dialog title="What the import changed" onClose={onClose} wide>
      <div className="report">
        {isForeign(report) ? (
          <ForeignFindings report={report} onClose={onClose} />
        ) : (
          <SnapshotFindings report={report} onClose={onClose} />
        )}
        <footer>
          <Button look="primary" onClick={onClose}>
            Go on
          </Button>
        </footer>
      </div>
    </Dialog>
  );
}

function ForeignFindings({ report, onClose }: { report: ForeignReport; onClose: () => void }) {
  const byCell = Map.groupBy(report.findings, ({ cell_id }) => cell_id);
  const skipped = [...Map.groupBy(report.skipped_cells, (kind) => kind)].map(
    ([kind, all]) => `${all.length} ${kind} ${all.length === 1 ? 'cell' : 'cells'}`,
  );
  return (
    <>
      <p>
        {report.code_cells} code and {report.markdown_cells} text cells came in
        {skipped.length > 0 && `; ${skipped.join(', ')} did not`}. Outputs are shown as they came; run the notebook to
        have its values.
      </p>
      {report.warnings.map((warning) => (
        <Message key={warning}>{warning}</Message>
      ))}
      {report.captured_deps.length > 0 && (
        <p>
          Packages that its environment gets:{' '}
          {report.captured_deps.map((name) => (
            <code key={name}>{name}</code>
          ))}
        </p>
      )}
      {report.optional_deps?.length > 0 && (
        <p>
          Packages that it does without, and that are not installed:{' '}
          {report.optional_deps.map((name) => (
            <code key={name}>{name}</code>
          ))}
        </p>
      )}
      <DataFiles report={report} onClose={onClose} />
      {byCell.size > 0 && (
        <dl>
          {[...byCell].map(([cellId, findings]) => (
            <div key={cellId}>
              <dt>
                <CellLink cellId={cellId} onClose={onClose} />
              </dt>
              {findings.map(({ kind, text, above_cell_id: above }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the report does not change
                <dd key={index}>
                  {above !== undefined ? (
                    <ContinuedFigure figure={text} above={above} cellId={cellId} report={report} onClose={onClose} />
                  ) : (
                    <>
                      {kind === 'differs' ? text : kind !== 'silenced' && <code>{text}</code>} {words[kind]}
                    </>
                  )}
                </dd>
              ))}
            </div>
          ))}
        </dl>
      )}
      <AmbiguousNames report={report} onClose={onClose} />
      <p className="report-file">
        The same stands in <code>import_report.md</code> in the notebook’s folder.
      </p>
    </>
  );
}

/** What is drawn on a figure of a cell above is seen in one picture once they are one cell. */
function ContinuedFigure(props: {
  figure: string;
  above: string;
  cellId: string;
  report: ForeignReport;
  onClose: () => void;
}) {
  const { figure, above, cellId, report, onClose } = props;
  const session = useNotebook();
  const { order } = session.store.get();
  // Cells that draw on it before this one belong to it too.
  const drawing = report.findings.filter((one) => one.above_cell_id === above && one.text === figure);
  const last = drawing.findIndex((one) => one.cell_id === cellId);
  const chain = [above, ...drawing.slice(0, last + 1).map((one) => one.cell_id)].filter((id) => order.includes(id));
  const isThere = chain.includes(above) && chain.includes(cellId);
  return (
    <span className="report-join">
      <span>
        continues the figure <code>{figure}</code> of cell {order.indexOf(above) + 1}
      </span>
      <Button
        disabled={session.isReadOnly || !isThere}
        onClick={() => {
          onClose();
          void joinCells(session, chain);
        }}
      >
        Join cells
      </Button>
    </span>
  );
}

/** Names that several cells write; reports of earlier versions do not know them. */
function AmbiguousNames({ report, onClose }: { report: ForeignReport; onClose: () => void }) {
  const { store, view, isReadOnly } = useNotebook();
  const names: ForeignReport['ambiguous_names'] | undefined = report.ambiguous_names;
  if (!names?.length) return null;
  const { order } = store.get();
  const numberOf = (cellId: string): number => order.indexOf(cellId) + 1;
  return (
    <section className="report-names" aria-label="Names that several cells write">
      <h3>Names that several cells write</h3>
      <p>
        Each cell reads the value of the nearest cell above it. Made explicit, each definition has a name of its own.
      </p>
      <ul>
        {names.map(({ name, cells }) => {
          const makers = cells.filter(({ defines }) => defines).map(({ cell_id }) => numberOf(cell_id));
          const readers = cells.flatMap(({ cell_id, reads_cell_id: from }) =>
            from === null ? [] : [`cell ${numberOf(cell_id)} reads that of cell ${numberOf(from)}`],
          );
          return (
            <li key={name}>
              <span>
                <code>{name}</code> is made by cells {makers.join(', ')}
                {readers.length > 0 && <small>; {readers.join(', ')}</small>}
              </span>
              <Button
                disabled={isReadOnly}
                onClick={() => {
                  onClose();
                  setTimeout(() => view.send({ kind: 'overlay', overlay: 'explicit', subject: name }));
                }}
              >
                Make {name} explicit …
              </Button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function SnapshotFindings({ report, onClose }: { report: SnapshotReport; onClose: () => void }) {
  const { store } = useNotebook();
  const { cells, order } = store.get();
  const without = new Set(report.by_reference_cells);
  const code = order.filter((id) => kindOf(cells.get(id)?.language ?? usualLanguage) !== 'text');
  const bare = code.filter((id) => without.has(id));
  return (
    <>
      <p>
        {counted(order.length, 'cell')} came in, {counted(code.length - bare.length, 'of them', 'of them')} with
        results: {counted(report.imported_artifacts, 'stored value')}. What is still up to date need not run again.
      </p>
      {bare.length > 0 && (
        <>
          <p>Without results, as the snapshot has none of them; run these cells to have them:</p>
          <ul>
            {bare.map((cellId) => (
              <li key={cellId}>
                <CellLink cellId={cellId} onClose={onClose} />
              </li>
            ))}
          </ul>
        </>
      )}
      {report.replaced_notebook_id !== null && (
        <Message>Another notebook here has the snapshot’s identity, so this one got a new one. Both stay.</Message>
      )}
    </>
  );
}

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

function CellLink({ cellId, onClose }: { cellId: string; onClose: () => void }) {
  const { store, view } = useNotebook();
  return (
    <button
      type="button"
      className="text-button"
      onClick={() => {
        onClose();
        view.send({ kind: 'jump', cellId, line: null });
      }}
    >
      {labelOf(store.get(), cellId)}
    </button>
  );
}
