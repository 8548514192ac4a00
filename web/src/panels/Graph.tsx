// How cells depend on each other, each in the colour of its state. It follows the selection and what is in sight; a click or Enter
// goes to the cell, arrow keys walk from cell to cell.
import {
  Background,
  Controls,
  type Edge,
  MiniMap,
  type Node,
  Position,
  ReactFlow,
  type ReactFlowInstance,
} from '@xyflow/react';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import '@xyflow/react/dist/style.css';
import { useModel, useNotebook, useView } from '../notebook/context.ts';
import { labelOf, type NotebookModel, reach, whyStale } from '../state/index.ts';
import { announce } from '../ui/index.ts';
import { neighbour, nodeHeight, nodeWidth, type Pair } from './graphLayout.ts';
import { useCellsInSight } from './useCellsInSight.ts';
import { useGraphLayout } from './useGraphLayout.ts';
import './graph.css';

/** Names can be read; what does not fit then is a drag away. */
const fitting = { minZoom: 0.85, maxZoom: 1, padding: 0.05 };
/** Fewer than these are seen at once. */
const fewNodes = 12;

const scopes = ['all', 'above', 'below', 'around'] as const;
type Scope = (typeof scopes)[number];
const scopeNames: Readonly<Record<Scope, string>> = {
  all: 'All cells',
  above: 'Above the selected cell',
  below: 'Below the selected cell',
  around: 'Above and below it',
};

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
  const [flow, setFlow] = useState<ReactFlowInstance | null>(null);
  const place = useRef<HTMLDivElement>(null);

  // The selected cell while it is in sight, else what is.
  const isSelectedSeen = selected !== null && (inSight.size === 0 || inSight.has(selected));
  const centre = isSelectedSeen ? selected : ([...inSight][0] ?? selected);
  const follow = useRef(() => {});
  follow.current = () => {
    const spot = centre === undefined || centre === null ? undefined : layout?.spots.get(centre);
    if (!flow || !spot || !place.current || isSeen(flow, place.current, spot)) return;
    const zoom = Math.max(flow.getZoom(), fitting.minZoom);
    void flow.setCenter(spot.x + nodeWidth / 2, spot.y + nodeHeight / 2, { zoom });
  };
  // Fitted anew when the panel has another size, and when cells come or go.
  useEffect(() => {
    if (!flow || !place.current || !layout || layout.spots.size === 0) return;
    const watcher = new ResizeObserver(() => void flow.fitView(fitting).then(() => follow.current()));
    watcher.observe(place.current);
    return () => watcher.disconnect();
  }, [flow, layout]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another cell is followed
  useEffect(() => follow.current(), [centre]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: labels and states are read off the cells
  const found = useMemo(() => cellsFound(store.get(), search), [cells, search]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: labels and states are read off the cells
  const nodes = useMemo((): Node[] => {
    const model = store.get();
    return [...(layout?.spots ?? [])].map(([id, position]) => {
      const cell = cells.get(id);
      const status = cell && whyStale(model, cell) !== null ? 'stale' : (cell?.status ?? 'idle');
      const marks = [
        id === selected && 'now',
        inSight.has(id) && 'in-sight',
        planned.has(id) && 'planned',
        search !== '' && (found.has(id) ? 'found' : 'aside'),
      ];
      return {
        id,
        position,
        data: { label: labelOf(model, id) },
        className: ['graph-node', status, ...marks].filter(Boolean).join(' '),
        width: nodeWidth,
        height: nodeHeight,
        measured: { width: nodeWidth, height: nodeHeight },
        ...ends(layout?.isSideways === true),
        ariaLabel: `${labelOf(model, id)}, ${status}`,
      };
    });
  }, [layout, cells, selected, inSight, planned, search, found]);
  const arrows = useMemo(() => arrowsOf(edges, layout?.spots ?? new Map()), [edges, layout]);

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
    const drawn = nodes.filter(({ id }) => found.has(id)).map(({ id }) => id);
    const next = drawn[(drawn.indexOf(selected ?? '') + 1) % drawn.length];
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
        {scope !== 'all' && pairs.length === 0 && <p className="panel-note">The selected cell stands alone.</p>}
        <ReactFlow
          nodes={nodes}
          edges={arrows}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          disableKeyboardA11y
          onlyRenderVisibleElements
          fitView
          fitViewOptions={fitting}
          onInit={setFlow}
          minZoom={0.1}
          proOptions={{ hideAttribution: true }}
          onNodeClick={(_event, node) => goTo(node.id)}
        >
          <Background />
          <Controls showInteractive={false} />
          {nodes.length > fewNodes && (
            <MiniMap
              pannable
              zoomable
              ariaLabel="The whole graph, small"
              nodeClassName={(node) => node.className ?? ''}
              style={{ width: 110, height: 90 }}
            />
          )}
        </ReactFlow>
      </section>
    </div>
  );
}

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
        placeholder="Find a cell or a variable"
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

/** Where edges begin and end. Told, and not measured: to be measured, all cells would be drawn once. */
const ends = (isSideways: boolean): Pick<Node, 'sourcePosition' | 'targetPosition' | 'handles'> =>
  isSideways
    ? {
        sourcePosition: Position.Right,
        targetPosition: Position.Left,
        handles: [
          { type: 'source', position: Position.Right, x: nodeWidth, y: nodeHeight / 2, width: 1, height: 1 },
          { type: 'target', position: Position.Left, x: 0, y: nodeHeight / 2, width: 1, height: 1 },
        ],
      }
    : {
        sourcePosition: Position.Bottom,
        targetPosition: Position.Top,
        handles: [
          { type: 'source', position: Position.Bottom, x: nodeWidth / 2, y: nodeHeight, width: 1, height: 1 },
          { type: 'target', position: Position.Top, x: nodeWidth / 2, y: 0, width: 1, height: 1 },
        ],
      };

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

function arrowsOf(edges: NotebookModel['edges'], spots: ReadonlyMap<string, unknown>): Edge[] {
  const named = new Map<string, string[]>();
  for (const { from_cell_id, to_cell_id, variable } of edges) {
    if (!spots.has(from_cell_id) || !spots.has(to_cell_id)) continue;
    const key = `${from_cell_id} ${to_cell_id}`;
    named.set(key, [...(named.get(key) ?? []), variable]);
  }
  return [...named].map(([key, variables]) => {
    const [source = '', target = ''] = key.split(' ');
    return { id: key, source, target, label: variables.filter(Boolean).slice(0, 3).join(', ') };
  });
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

function isSeen(flow: ReactFlowInstance, field: HTMLElement, { x, y }: { x: number; y: number }): boolean {
  const { x: left, y: top, zoom } = flow.getViewport();
  const [atX, atY] = [x * zoom + left, y * zoom + top];
  const fits = (at: number, size: number, room: number): boolean => at >= 0 && at + size * zoom <= room;
  return fits(atX, nodeWidth, field.clientWidth) && fits(atY, nodeHeight, field.clientHeight);
}
