// How cells depend on each other, laid out from top to bottom, each in the colour of its state. A click goes to the cell.
import dagre from '@dagrejs/dagre';
import { Background, Controls, type Edge, type Node, ReactFlow } from '@xyflow/react';
import { useMemo } from 'react';
import '@xyflow/react/dist/style.css';
import { useModel, useNotebook, useView } from '../notebook/context.ts';
import { labelOf, type NotebookModel, whyStale } from '../state/index.ts';
import './graph.css';

const nodeWidth = 130;
const nodeHeight = 30;

export function Graph() {
  const { view } = useNotebook();
  const model = useModel((state) => state);
  const selected = useView((state) => state.selected);
  const places = useLayout(model);
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
        ariaLabel: `${labelOf(model, id)}, ${status}`,
      };
    });
  }, [places, model, selected]);
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
    <div className="graph">
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodesDraggable={false}
        nodesConnectable={false}
        fitView
        fitViewOptions={{ maxZoom: 1 }}
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

/** Only cells with a neighbour are drawn; the rest would be a row of boxes. */
function useLayout({ edges }: Pick<NotebookModel, 'edges'>): ReadonlyMap<string, { x: number; y: number }> {
  return useMemo(() => {
    const graph = new dagre.graphlib.Graph().setGraph({ rankdir: 'TB', nodesep: 16, ranksep: 36 });
    graph.setDefaultEdgeLabel(() => ({}));
    for (const { from_cell_id, to_cell_id } of edges) {
      for (const id of [from_cell_id, to_cell_id]) graph.setNode(id, { width: nodeWidth, height: nodeHeight });
      graph.setEdge(from_cell_id, to_cell_id);
    }
    dagre.layout(graph);
    return new Map(
      graph.nodes().map((id) => {
        const { x, y } = graph.node(id);
        return [id, { x: (x ?? 0) - nodeWidth / 2, y: (y ?? 0) - nodeHeight / 2 }];
      }),
    );
  }, [edges]);
}
