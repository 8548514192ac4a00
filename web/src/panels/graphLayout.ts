// Where the cells of a graph stand: from top to bottom or from left to right, whichever leaves the names larger. Pure, and slow
// for many cells: a worker does it.
import dagre from '@dagrejs/dagre';

export const nodeWidth = 130;
export const nodeHeight = 30;
/** About what the panel has. */
const field = { width: 270, height: 560 };

export type Pair = readonly [from: string, to: string];

export interface Layout {
  readonly places: readonly (readonly [cellId: string, x: number, y: number])[];
  readonly isSideways: boolean;
  /** How much of its size it keeps in the panel. */
  readonly scale: number;
}

export function layOut(pairs: readonly Pair[]): Layout {
  const [down, sideways] = [laidOut(pairs, 'TB'), laidOut(pairs, 'LR')];
  return sideways.scale > down.scale ? sideways : down;
}

/** Only cells with a neighbour are drawn; the rest would be a row of boxes. */
function laidOut(pairs: readonly Pair[], rankdir: 'TB' | 'LR'): Layout {
  const graph = new dagre.graphlib.Graph().setGraph({ rankdir, nodesep: 16, ranksep: 36 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const [from, to] of pairs) {
    for (const id of [from, to]) graph.setNode(id, { width: nodeWidth, height: nodeHeight });
    graph.setEdge(from, to);
  }
  dagre.layout(graph);
  const { width = field.width, height = field.height } = graph.graph();
  return {
    places: graph.nodes().map((id) => {
      const { x, y } = graph.node(id);
      return [id, (x ?? 0) - nodeWidth / 2, (y ?? 0) - nodeHeight / 2] as const;
    }),
    isSideways: rankdir === 'LR',
    scale: Math.min(1, field.width / width, field.height / height),
  };
}

export interface Spot {
  readonly x: number;
  readonly y: number;
}

const arrows: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};

/** The nearest cell that lies where an arrow key points; undefined for another key, and where there is none. */
export function neighbour(spots: ReadonlyMap<string, Spot>, from: string | null, key: string): string | undefined {
  const way = arrows[key];
  const here = from === null ? undefined : spots.get(from);
  if (!way) return undefined;
  if (!here) return spots.keys().next().value;
  let best: string | undefined;
  let least = Infinity;
  for (const [id, { x, y }] of spots) {
    const [dx, dy] = [x - here.x, y - here.y];
    const along = dx * way[0] + dy * way[1];
    const aside = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
    if (along > 1 && along + 2 * aside < least) [best, least] = [id, along + 2 * aside];
  }
  return best;
}
