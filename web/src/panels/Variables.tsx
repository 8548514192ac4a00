// The names of the notebook: which cell makes each, who reads it.
import { useMemo, useState } from 'react';
import { useModel, useNotebook } from '../notebook/context.ts';
import { labelOf } from '../state/index.ts';
import { Dot } from '../ui/index.ts';

export function Variables() {
  const { view } = useNotebook();
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
      return cell.defines.map((name) => ({ name, cell, readers: readers.get(`${id}\n${name}`) ?? 0 }));
    });
  }, [model]);
  const found = variables.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()));
  return (
    <>
      <input
        className="input"
        type="search"
        aria-label="Search variables"
        placeholder="Search"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      {variables.length === 0 && <p className="panel-note">No cell defines a name yet.</p>}
      <ul className="rows">
        {found.slice(0, 500).map(({ name, cell, readers }) => (
          <li key={`${cell.id}${name}`}>
            <button
              type="button"
              className="row"
              onClick={() => view.send({ kind: 'jump', cellId: cell.id, line: null })}
            >
              <Dot status={cell.status} />
              <span>
                <code>{name}</code>
              </span>
              <small>
                {labelOf(model, cell.id) === name ? '' : `${labelOf(model, cell.id)} · `}
                {readers === 0 ? 'not read' : `read ${readers}×`}
              </small>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
