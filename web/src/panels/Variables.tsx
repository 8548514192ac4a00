// The names of the notebook: what each is, which cell makes it, who reads it. What is only imported stands behind a line.
import { useEffect, useMemo, useState } from 'react';
import type { VariableRecord } from '../../../src/protocol/index.ts';
import { readVariables } from '../api/index.ts';
import { useModel, useNotebook } from '../notebook/context.ts';
import { type CellModel, isImported, labelOf } from '../state/index.ts';
import { Dot } from '../ui/index.ts';

interface Variable {
  readonly name: string;
  readonly cell: CellModel;
  readonly readers: number;
  readonly isImport: boolean;
}

const shownNames = 500;

export function Variables() {
  const { view, sessionId } = useNotebook();
  const model = useModel((state) => state);
  const [search, setSearch] = useState('');
  const variables = useMemo(() => {
    const readers = new Map<string, number>();
    for (const { from_cell_id, variable } of model.edges) {
      const key = `${from_cell_id}\n${variable}`;
      readers.set(key, (readers.get(key) ?? 0) + 1);
    }
    return model.order.flatMap((id) => {
      const cell = model.cells.get(id);
      if (!cell?.variantActive) return [];
      return cell.defines.map(
        (name): Variable => ({
          name,
          cell,
          readers: readers.get(`${id}\n${name}`) ?? 0,
          isImport: isImported(cell.source, name),
        }),
      );
    });
  }, [model]);
  const sketches = useSketches(sessionId, model.order.map((id) => model.cells.get(id)?.status).join());
  const found = variables.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()));
  const made = found.filter(({ isImport }) => !isImport);
  const imported = found.filter(({ isImport }) => isImport);
  const row = ({ name, cell, readers }: Variable) => {
    const label = labelOf(model, cell.id);
    return (
      <li key={`${cell.id}${name}`}>
        <button type="button" className="row" onClick={() => view.send({ kind: 'jump', cellId: cell.id, line: null })}>
          <Dot status={cell.status} />
          <span>
            <code>{name}</code>
          </span>
          <small title={label === name ? undefined : `from ${label}`}>
            {sketchText(sketches.get(`${cell.id}\n${name}`))}
            {readers === 0 ? 'not read' : `read ${readers}×`}
          </small>
        </button>
      </li>
    );
  };
  return (
    <div className="stack">
      <input
        className="input"
        type="search"
        aria-label="Search variables"
        placeholder="Search"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      {variables.length === 0 && <p className="panel-note">No cell defines a name yet.</p>}
      {variables.length > 0 && found.length === 0 && <p className="panel-note">No name contains “{search}”.</p>}
      <ul className="rows">{made.slice(0, shownNames).map(row)}</ul>
      {imported.length > 0 && (
        // Whoever searches looks for what is behind the line too.
        <details key={search === '' ? 'all' : 'found'} open={search !== ''}>
          <summary className="panel-note">
            {imported.length} {imported.length === 1 ? 'import' : 'imports'}
          </summary>
          <ul className="rows">{imported.slice(0, shownNames).map(row)}</ul>
        </details>
      )}
    </div>
  );
}

/** What the names stood for when their cells last ran; asked again whenever a cell has run. */
function useSketches(sessionId: string, statuses: string): ReadonlyMap<string, VariableRecord> {
  const [known, setKnown] = useState<ReadonlyMap<string, VariableRecord>>(new Map());
  useEffect(() => {
    if (statuses.includes('running')) return;
    const leaving = new AbortController();
    readVariables(sessionId, leaving.signal)
      .then(({ variables }) => setKnown(new Map(variables.map((one) => [`${one.cell_id}\n${one.name}`, one]))))
      .catch(() => {}); // the names are shown without
    return () => leaving.abort();
  }, [sessionId, statuses]);
  return known;
}

function sketchText(sketch: VariableRecord | undefined): string {
  if (!sketch || sketch.type === null) return '';
  const { type, rows, columns } = sketch;
  const size = rows === null ? '' : ` ${rows.toLocaleString()}${columns === null ? '' : ` × ${columns}`}`;
  return `${type.slice(type.lastIndexOf('.') + 1)}${size} · `;
}
