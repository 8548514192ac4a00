// How cells depend on each other, each in the colour of its state. A click goes to the cell. Laid out from top to bottom or
// from left to right, whichever leaves the names larger.
import dagre from '@dagrejs/dagre';
import { Background, Controls, type Edge, type Node, Position, ReactFlow, type ReactFlowInstance } from '@xyflow/react';
import { useEffect, useMemo, useRef, useState } from 'react';
import '@xyflow/react/dist/style.css';
import { useModel, useNotebook, useView } from '../notebook/context.ts';
import { labelOf, type NotebookModel, whyStale } from '../state/index.ts';
import './graph.css';

const nodeWidth = 130;
const nodeHeight = 30;
/** About what the panel has. */
const field = { width: 270, height: 640 };
/** Names can be read; what does not fit then is a drag away. */
const fitting = { minZoom: 0.6, maxZoom: 1, padding: 0.05 };

export function Graph() {
  const { view } = useNotebook();
  const model = useModel((state) => state);
  const selected = useView((state) => state.selected);
  const { places, isSideways } = useLayout(model);
  const [flow, setFlow] = useState<ReactFlowInstance | null>(null);
  const place = useRef<HTMLDivElement>(null);
  // Fitted anew when the panel has another size, and when cells come or go.
  useEffect(() => {
    if (!flow || !place.current || places.size === 0) return;
    const watcher = new ResizeObserver(() => void flow.fitView(fitting));
    watcher.observe(place.current);
    return () => watcher.disconnect();
  }, [flow, places]);
  const nodes = useMemo((): Node[] => {
    return [...places].map(([id, place]) => {
      const cell = model.cells.get(id);
      const status = cell && whyStale(model, cell) !== null ? 'stale' : (cell?.status ?? 'idle');
      return {
        id,
        position: place,
        data: { label: labelOf(model, id) },
        className: `graph-node ${status}${id === selected ? ' now' : ''}`,
        width: nodeWidth,
        height: nodeHeight,
        sourcePosition: isSideways ? Position.Right : Position.Bottom,
        targetPosition: isSideways ? Position.Left : Position.Top,
        ariaLabel: `${labelOf(model, id)}, ${status}`,
      };
    });
  }, [places, isSideways, model, selected]);
  const edges = useMemo((): Edge[] => {
    const named = new Map<string, string[]>();
    for (const { from_cell_id, to_cell_id, variable } of model.edges) {
      const key = `${from_cell_id} ${to_cell_id}`;
      named.set(key, [...(named.get(key) ?? []), variable]);
    }
    return [...named].map(([key, variables]) => {
      const [source = '', target = ''] = key.split(' ');
      return { id: key, source, target, label: variables.filter(Boolean).slice(0, 3).join(', ') };
    });
  }, [model.edges]);

  if (model.edges.length === 0) return <p className="panel-note">No cell reads what another one defines yet.</p>;
  return (
    <div ref={place} className="graph">
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodesDraggable={false}
        nodesConnectable={false}
        fitView
        fitViewOptions={fitting}
        onInit={setFlow}
        minZoom={0.1}
        proOptions={{ hideAttribution: true }}
        onNodeClick={(_event, node) => view.send({ kind: 'jump', cellId: node.id, line: null })}
      >
        <Background />
        <Controls showInteractive={false} />
      </ReactFlow>
    </div>
  );
}

interface Layout {
  readonly places: ReadonlyMap<string, { readonly x: number; readonly y: number }>;
  readonly isSideways: boolean;
  /** How much of its size it keeps in the panel. */
  readonly scale: number;
}

function useLayout({ edges }: Pick<NotebookModel, 'edges'>): Layout {
  return useMemo(() => {
    const [down, sideways] = [layOut(edges, 'TB'), layOut(edges, 'LR')];
    return sideways.scale > down.scale ? sideways : down;
  }, [edges]);
}

/** Only cells with a neighbour are drawn; the rest would be a row of boxes. */
function layOut(edges: NotebookModel['edges'], rankdir: 'TB' | 'LR'): Layout {
  const graph = new dagre.graphlib.Graph().setGraph({ rankdir, nodesep: 16, ranksep: 36 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { from_cell_id, to_cell_id } of edges) {
    for (const id of [from_cell_id, to_cell_id]) graph.setNode(id, { width: nodeWidth, height: nodeHeight });
    graph.setEdge(from_cell_id, to_cell_id);
  }
  dagre.layout(graph);
  const { width = field.width, height = field.height } = graph.graph();
  return {
    places: new Map(
      graph.nodes().map((id) => {
        const { x, y } = graph.node(id);
        return [id, { x: (x ?? 0) - nodeWidth / 2, y: (y ?? 0) - nodeHeight / 2 }];
      }),
    ),
    isSideways: rankdir === 'LR',
    scale: Math.min(1, field.width / width, field.height / height),
  };
}
