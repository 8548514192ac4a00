// How cells depend on each other, each in the colour of its state. It follows the selection and what is in sight; a click or Enter
// goes to the cell, arrow keys walk from cell to cell.
import { Background, ControlButton, Controls, type Edge, type Node, ReactFlow } from '@xyflow/react';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import '@xyflow/react/dist/style.css';
import { useModel, useNotebook, useView } from '../notebook/context.ts';
import { labelOf, type NotebookModel, reach, whyStale } from '../state/index.ts';
import { announce, Icon } from '../ui/index.ts';
import { GraphMap } from './GraphMap.tsx';
import { neighbour, nodeHeight, nodeWidth, type Pair, type Spot } from './graphLayout.ts';
import { CellNode, ends, NamedLine } from './graphPieces.tsx';
import { drawnIn, keepSame } from './graphSight.ts';
import { useCellsInSight } from './useCellsInSight.ts';
import { useGraphLayout } from './useGraphLayout.ts';
import { smallest, useGraphView } from './useGraphView.ts';
import { useInSlices } from './useInSlices.ts';
import './graph.css';

const nodeTypes = { cell: CellNode };
const edgeTypes = { named: NamedLine };
/** Fewer than these are seen at once. */
const fewNodes = 12;

const scopes = ['all', 'above', 'below', 'around'] as const;
type Scope = (typeof scopes)[number];
const scopeNames: Readonly<Record<Scope, string>> = {
  all: 'All cells',
  above: 'Cells above',
  below: 'Cells below',
  around: 'Above, below',
};

const noSpots: ReadonlyMap<string, Spot> = new Map();
const nothing: ReturnType<typeof drawnIn> = { ids: new Set(), lines: [] };

const cellsOf = (model: NotebookModel) => model.cells;
const edgesOf = (model: NotebookModel) => model.edges;

export function Graph() {
  const { store, view } = useNotebook();
  const cells = useModel(cellsOf);
  const edges = useModel(edgesOf);
  const selected = useView((state) => state.selected);
  const planned = useView((state) => state.planned);
  const [scope, setScope] = useState<Scope>('all');
  const [search, setSearch] = useState('');
  const inSight = useCellsInSight();
  const pairs = useMemo(() => pairsOf(edges, scope === 'all' ? null : selected, scope), [edges, selected, scope]);
  const layout = useGraphLayout(pairs);
  // The selected cell while it is in sight, else what is.
  const isSelectedSeen = selected !== null && (inSight.size === 0 || inSight.has(selected));
  const centre = isSelectedSeen ? selected : ([...inSight][0] ?? selected);
  const { place, area, lookAt, setFlow, showAll } = useGraphView(layout, centre);
  const spots = layout?.spots ?? noSpots;
  // biome-ignore lint/correctness/useExhaustiveDependencies: labels and states are read off the cells
  const found = useMemo(() => cellsFound(store.get(), search), [cells, search]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: labels and states are read off the cells
  const states = useMemo(() => statesOf(store.get(), spots), [cells, spots]);
  const drawn = useMemo(() => (area === null ? nothing : drawnIn(spots, pairs, area)), [spots, pairs, area]);
  const ids = useInSlices(drawn.ids);
  // biome-ignore lint/correctness/useExhaustiveDependencies: labels and states are read off the cells
  const looks = useMemo((): readonly Node[] => {
    const model = store.get();
    return [...ids].flatMap((id) => {
      const position = spots.get(id);
      if (!position) return [];
      const state = states.get(id) ?? 'idle';
      const marks = [
        id === selected && 'now',
        inSight.has(id) && 'in-sight',
        planned.has(id) && 'planned',
        search !== '' && (found.has(id) ? 'found' : 'aside'),
      ];
      return {
        id,
        type: 'cell',
        position,
        data: { label: labelOf(model, id) },
        className: ['graph-node', state, ...marks].filter(Boolean).join(' '),
        width: nodeWidth,
        height: nodeHeight,
        measured: { width: nodeWidth, height: nodeHeight },
        ...(layout?.isSideways ? ends.sideways : ends.down),
        ariaLabel: `${labelOf(model, id)}, ${state}`,
      };
    });
  }, [layout, spots, ids, states, cells, selected, inSight, planned, search, found]);
  const nodes = useSame(looks, looksSame);
  const named = useMemo(() => namesOf(edges), [edges]);
  const lines = useMemo(() => arrowsOf(drawn.lines, named, ids), [drawn, named, ids]);
  const arrows = useSame(lines, isSameArrow);

  function goTo(cellId: string): void {
    view.send({ kind: 'jump', cellId, line: null });
  }
  function press(event: KeyboardEvent): void {
    const next = layout ? neighbour(layout.spots, selected, event.key) : undefined;
    if (next !== undefined) {
      goTo(next);
      announce(labelOf(store.get(), next));
    } else if (event.key === 'Enter' && selected !== null) {
      goTo(selected);
      document.querySelector<HTMLElement>(`[data-cell="${CSS.escape(selected)}"]`)?.focus();
    } else if (!event.key.startsWith('Arrow')) return;
    event.preventDefault();
    event.stopPropagation();
  }
  function goToNextFound(): void {
    const wanted = [...spots.keys()].filter((id) => found.has(id));
    const next = wanted[(wanted.indexOf(selected ?? '') + 1) % wanted.length];
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
      >
        {scope !== 'all' && pairs.length === 0 && (
          <p className="panel-note">The selected cell has no links to others.</p>
        )}
        <ReactFlow
          nodes={nodes}
          edges={arrows}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          disableKeyboardA11y
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          onInit={setFlow}
          onMove={(_event, viewport) => lookAt(viewport)}
          minZoom={smallest}
          proOptions={{ hideAttribution: true }}
          onNodeClick={(_event, node) => goTo(node.id)}
        >
          <Background />
          <Controls showInteractive={false} showFitView={false}>
            <ControlButton title="Show all of it" aria-label="Show all of it" onClick={showAll}>
              <Icon name="whole" size={12} />
            </ControlButton>
          </Controls>
          {spots.size > fewNodes && (
            <GraphMap spots={spots} states={states} selected={selected} field={place.current} />
          )}
        </ReactFlow>
      </section>
    </div>
  );
}

/** The same list of things, of which those that look as before are the very same. */
function useSame<T extends { readonly id: string }>(now: readonly T[], isSame: (before: T, now: T) => boolean): T[] {
  const before = useRef<ReadonlyMap<string, T>>(new Map());
  return useMemo(() => {
    before.current = keepSame(before.current, now, isSame);
    return [...before.current.values()];
  }, [now, isSame]);
}

/** Its label is in the words for those who do not see it. */
const looksSame = (before: Node, now: Node): boolean =>
  before.position === now.position &&
  before.className === now.className &&
  before.ariaLabel === now.ariaLabel &&
  before.sourcePosition === now.sourcePosition;

const isSameArrow = (before: Edge, now: Edge): boolean => before.label === now.label;

interface GraphToolsProps {
  readonly search: string;
  readonly onSearch: (search: string) => void;
  /** Goes to the next cell that was found. */
  readonly onNext: () => void;
  readonly matches: number;
  readonly scope: Scope;
  readonly onScope: (scope: Scope) => void;
}

function GraphTools({ search, onSearch, onNext, matches, scope, onScope }: GraphToolsProps) {
  return (
    <div className="graph-tools">
      <input
        className="input"
        type="search"
        aria-label="Find in the graph"
        placeholder="Find a name"
        value={search}
        onChange={(event) => onSearch(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onNext();
        }}
      />
      <select
        className="input"
        aria-label="Which cells"
        value={scope}
        onChange={(event) => onScope(scopes.find((one) => one === event.target.value) ?? 'all')}
      >
        {scopes.map((one) => (
          <option key={one} value={one}>
            {scopeNames[one]}
          </option>
        ))}
      </select>
      {search !== '' && <small role="status">{matches === 1 ? '1 match' : `${matches || 'No'} matches`}</small>}
    </div>
  );
}

function pairsOf(edges: NotebookModel['edges'], around: string | null, scope: Scope): readonly Pair[] {
  const kept = (way: 'above' | 'below') =>
    around === null || (scope !== way && scope !== 'around') ? [] : reach(edges, around, way);
  const cells = scope === 'all' ? null : new Set([...kept('above'), ...kept('below')]);
  const pairs = new Map<string, Pair>();
  for (const { from_cell_id, to_cell_id } of edges)
    if (cells === null || (cells.has(from_cell_id) && cells.has(to_cell_id)))
      pairs.set(`${from_cell_id} ${to_cell_id}`, [from_cell_id, to_cell_id]);
  return [...pairs.values()];
}

/** The variables that go from one cell to another, by both. */
function namesOf(edges: NotebookModel['edges']): ReadonlyMap<string, string> {
  const named = new Map<string, string[]>();
  for (const { from_cell_id, to_cell_id, variable } of edges) {
    const key = `${from_cell_id} ${to_cell_id}`;
    const names = named.get(key) ?? [];
    if (variable && names.length < 3) names.push(variable);
    named.set(key, names);
  }
  return new Map([...named].map(([key, names]) => [key, names.join(', ')]));
}

const arrowsOf = (lines: readonly Pair[], named: ReadonlyMap<string, string>, ids: ReadonlySet<string>): Edge[] =>
  lines
    .filter(([source, target]) => ids.has(source) && ids.has(target))
    .map(([source, target]) => {
      const id = `${source} ${target}`;
      return { id, source, target, type: 'named', label: named.get(id) ?? '' };
    });

function statesOf(model: NotebookModel, spots: ReadonlyMap<string, Spot>): ReadonlyMap<string, string> {
  const stateOf = (id: string): string => {
    const cell = model.cells.get(id);
    return cell && whyStale(model, cell) !== null ? 'stale' : (cell?.status ?? 'idle');
  };
  return new Map([...spots.keys()].map((id) => [id, stateOf(id)]));
}

/** Cells that are called so, or define a name like it. */
function cellsFound(model: NotebookModel, search: string): ReadonlySet<string> {
  const wanted = search.trim().toLowerCase();
  if (wanted === '') return new Set();
  const fits = (text: string): boolean => text.toLowerCase().includes(wanted);
  return new Set(
    model.order.filter((id) => fits(labelOf(model, id)) || model.cells.get(id)?.defines.some(fits) === true),
  );
}
