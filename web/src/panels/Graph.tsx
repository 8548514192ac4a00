// How cells depend on each other, each in the colour of its state. It follows the selection and what is in sight; a click or Enter
// goes to the cell, arrow keys walk from cell to cell.
import { ReactFlowProvider } from '@xyflow/react';
import { type KeyboardEvent, type MouseEvent, useDeferredValue, useMemo, useState } from 'react';
import '@xyflow/react/dist/style.css';
import { useModel, useNotebook, useView } from '../notebook/context.ts';
import { labelOf, type NotebookModel } from '../state/index.ts';
import { announce } from '../ui/index.ts';
import { GraphDrawing } from './GraphDrawing.tsx';
import { GraphField } from './GraphField.tsx';
import { GraphMap } from './GraphMap.tsx';
import { GraphTools, type Scope } from './GraphTools.tsx';
import { cellsFound, pairsOf, statesOf } from './graphCells.ts';
import { neighbour, type Spot } from './graphLayout.ts';
import { useCellsInSight } from './useCellsInSight.ts';
import { useGraphLayout } from './useGraphLayout.ts';
import { useGraphView } from './useGraphView.ts';
import './graph.css';

/** Fewer than these are seen at once. */
const fewNodes = 12;

const noSpots: ReadonlyMap<string, Spot> = new Map();

const cellsOf = (model: NotebookModel) => model.cells;
const edgesOf = (model: NotebookModel) => model.edges;

export function Graph() {
  return (
    <ReactFlowProvider>
      <GraphPanel />
    </ReactFlowProvider>
  );
}

function GraphPanel() {
  const { store, view } = useNotebook();
  // The list of cells comes first: what is drawn here follows it in a task of its own, so that the page is there in between.
  const cells = useDeferredValue(useModel(cellsOf));
  const edges = useDeferredValue(useModel(edgesOf));
  const selected = useDeferredValue(useView((state) => state.selected));
  const planned = useDeferredValue(useView((state) => state.planned));
  const inSight = useDeferredValue(useCellsInSight());
  const [scope, setScope] = useState<Scope>('all');
  const [search, setSearch] = useState('');
  const wanted = useDeferredValue(search);
  const pairs = useMemo(() => pairsOf(edges, scope === 'all' ? null : selected, scope), [edges, selected, scope]);
  const layout = useGraphLayout(pairs);
  // The selected cell while it is in sight, else what is.
  const isSelectedSeen = selected !== null && (inSight.size === 0 || inSight.has(selected));
  const centre = isSelectedSeen ? selected : ([...inSight][0] ?? selected);
  const { place, area, lookAt, setFlow, showAll } = useGraphView(layout, centre);
  const spots = layout?.spots ?? noSpots;
  // biome-ignore lint/correctness/useExhaustiveDependencies: labels and states are read off the cells
  const found = useMemo(() => cellsFound(store.get(), wanted), [cells, wanted]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: labels and states are read off the cells
  const states = useMemo(() => statesOf(store.get(), spots), [cells, spots]);

  function goTo(cellId: string): void {
    view.send({ kind: 'jump', cellId, line: null });
  }
  function press(event: KeyboardEvent): void {
    const here = view.get().selected;
    const next = neighbour(spots, here, event.key);
    if (next !== undefined) {
      goTo(next);
      announce(labelOf(store.get(), next));
    } else if (event.key === 'Enter' && here !== null) {
      goTo(here);
      document.querySelector<HTMLElement>(`[data-cell="${CSS.escape(here)}"]`)?.focus();
    } else if (!event.key.startsWith('Arrow')) return;
    event.preventDefault();
    event.stopPropagation();
  }
  function click({ target }: MouseEvent): void {
    const cell = target instanceof Element ? target.closest<HTMLElement>('[data-graph-cell]') : null;
    if (cell?.dataset.graphCell !== undefined) goTo(cell.dataset.graphCell);
  }
  function goToNextFound(): void {
    const fits = cellsFound(store.get(), search);
    const all = [...spots.keys()].filter((id) => fits.has(id));
    const next = all[(all.indexOf(view.get().selected ?? '') + 1) % all.length];
    if (next !== undefined) goTo(next);
  }

  if (edges.length === 0) return <p className="panel-note">No cell reads what another one defines yet.</p>;
  return (
    <div className="graph-panel">
      <GraphTools
        search={search}
        onSearch={setSearch}
        onNext={goToNextFound}
        matches={found.size}
        scope={scope}
        onScope={setScope}
      />
      <section
        ref={place}
        className="graph"
        aria-label="Graph of cells: arrow keys walk, Enter goes to the cell"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys walk from cell to cell
        tabIndex={0}
        onKeyDown={press}
        onClick={click}
      >
        {scope !== 'all' && pairs.length === 0 && (
          <p className="panel-note">The selected cell has no links to others.</p>
        )}
        <div className="graph-field">
          <GraphField onInit={setFlow} onLook={lookAt} onShowAll={showAll} />
        </div>
        {area !== null && (
          <GraphDrawing
            spots={spots}
            isSideways={layout?.isSideways === true}
            pairs={pairs}
            edges={edges}
            area={area}
            cells={cells}
            states={states}
            selected={selected}
            inSight={inSight}
            planned={planned}
            found={wanted === '' ? null : found}
          />
        )}
        {spots.size > fewNodes && <GraphMap spots={spots} states={states} selected={selected} />}
      </section>
    </div>
  );
}
