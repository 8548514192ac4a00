// What stands in the graph, as plain elements in its own measure. Those of the library are made for graphs that people rearrange:
// each watches all of it, which took most of the time of a jump.
import { getBezierPath, Position } from '@xyflow/react';
import { memo } from 'react';
import { nodeHeight, nodeWidth, type Pair, type Spot } from './graphLayout.ts';
import { lineKey } from './graphSight.ts';

/** `look`: the classes that tell how it stands; `standing` says it in a word. */
export interface CellLook {
  readonly label: string;
  readonly standing: string;
  readonly look: string;
}

export interface DrawnLine {
  readonly key: string;
  readonly path: string;
  readonly x: number;
  readonly y: number;
}

interface GraphCellProps extends CellLook {
  readonly cellId: string;
  readonly spot: Spot;
}

export const GraphCell = memo(function GraphCell({ cellId, label, standing, look, spot }: GraphCellProps) {
  return (
    <div
      role="img"
      aria-label={`${label}, ${standing}`}
      data-graph-cell={cellId}
      className={`graph-node ${look}`}
      style={{ left: spot.x, top: spot.y, width: nodeWidth, height: nodeHeight }}
    >
      {label}
    </div>
  );
});

/** All of them are one shape, so that many cost little. */
export const GraphLines = memo(function GraphLines({ lines }: { lines: readonly DrawnLine[] }) {
  return <path className="graph-line" d={lines.map(({ path }) => path).join('')} />;
});

/** It is not measured, which would lay out the page anew for each: its ground is a stroke around its letters. */
export const LineName = memo(function LineName({ name, x, y }: { name: string; x: number; y: number }) {
  return (
    <text className="graph-line-name" x={x} y={y}>
      {name}
    </text>
  );
});

export function drawnLines(
  pairs: readonly Pair[],
  spots: ReadonlyMap<string, Spot>,
  isSideways: boolean,
): readonly DrawnLine[] {
  const end = isSideways ? { x: nodeWidth, y: nodeHeight / 2 } : { x: nodeWidth / 2, y: nodeHeight };
  const start = isSideways ? { x: 0, y: nodeHeight / 2 } : { x: nodeWidth / 2, y: 0 };
  const positions = isSideways
    ? { sourcePosition: Position.Right, targetPosition: Position.Left }
    : { sourcePosition: Position.Bottom, targetPosition: Position.Top };
  return pairs.flatMap((pair) => {
    const [from, to] = [spots.get(pair[0]), spots.get(pair[1])];
    if (!from || !to) return [];
    const [path, x, y] = getBezierPath({
      sourceX: from.x + end.x,
      sourceY: from.y + end.y,
      targetX: to.x + start.x,
      targetY: to.y + start.y,
      ...positions,
    });
    return [{ key: lineKey(pair), path, x, y }];
  });
}
