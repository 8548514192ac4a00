// The files that cells of an imported notebook name: those that came with it can be brought along, large ones when asked for.
import { useState } from 'react';
import type { ForeignReport } from '../../../src/protocol/index.ts';
import { besideOf } from '../filesBeside.ts';
import { bytes } from '../state/index.ts';
import { announce, Button } from '../ui/index.ts';
import { useNotebook } from './context.ts';

export function DataFiles({ report, onClose }: { report: ForeignReport; onClose: () => void }) {
  const session = useNotebook();
  const { order, path: notebook } = session.store.get();
  // A report that was kept by an earlier version does not know them.
  const named: ForeignReport['data_files'] = report.data_files ?? [];
  const beside = new Map(besideOf(notebook).map(({ path, file }) => [path, file]));
  const offered = named.filter(({ path }) => beside.has(path));
  const [wanted, setWanted] = useState(
    () => new Set(offered.filter(({ is_large }) => !is_large).map(({ path }) => path)),
  );
  if (named.length === 0) return null;
  const cellsOf = (ids: readonly string[]): string =>
    `${ids.length === 1 ? 'cell' : 'cells'} ${ids.map((id) => order.indexOf(id) + 1).join(', ')}`;
  const chosen = offered.filter(({ path }) => wanted.has(path));
  const total = chosen.reduce((sum, { size }) => sum + (size ?? 0), 0);
  function bring(): void {
    session.uploads.bring(chosen.flatMap(({ path }) => ({ path, file: beside.get(path) })).flatMap(isThere));
    announce(`${chosen.length} ${chosen.length === 1 ? 'file is' : 'files are'} on the way`);
    onClose();
    session.view.send({ kind: 'panel', panel: 'files' });
  }
  return (
    <section className="report-names" aria-label="Files that cells name">
      <h3>Files that cells name</h3>
      <ul>
        {named.map(({ path, size, cell_ids }) => (
          <li key={path}>
            {beside.has(path) ? (
              <label>
                <input
                  type="checkbox"
                  checked={wanted.has(path)}
                  disabled={session.isReadOnly}
                  onChange={() => setWanted(new Set(wanted).symmetricDifference(new Set([path])))}
                />
                <code>{path}</code> {bytes(size ?? 0)}
              </label>
            ) : (
              <span>
                <code>{path}</code> did not come with the notebook; upload it in Files
              </span>
            )}
            <small>{cellsOf(cell_ids)}</small>
          </li>
        ))}
      </ul>
      {offered.length > 0 && (
        <Button disabled={session.isReadOnly || chosen.length === 0} onClick={bring}>
          Bring {chosen.length} {chosen.length === 1 ? 'file' : 'files'} along ({bytes(total)})
        </Button>
      )}
    </section>
  );
}

const isThere = ({ path, file }: { path: string; file: File | undefined }) => (file ? [{ path, file }] : []);
