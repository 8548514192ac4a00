// How a cell and a line between two cells are drawn in the graph.
import { BaseEdge, type EdgeProps, getBezierPath, type NodeProps, Position } from '@xyflow/react';
import { nodeHeight, nodeWidth } from './graphLayout.ts';

/** Its ends are told (`ends`), so that it needs no pieces of its own for them. */
export const CellNode = ({ data }: NodeProps) => <>{data.label}</>;

/** The label is not measured, which would lay out the page anew for each: its ground is a stroke around its letters. */
export function NamedLine({ sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition, label }: EdgeProps) {
  const [path, x, y] = getBezierPath({ sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition });
  return (
    <>
      <BaseEdge path={path} />
      <text className="graph-line-name" x={x} y={y}>
        {label}
      </text>
    </>
  );
}

const end = (type: 'source' | 'target', position: Position, x: number, y: number) => ({
  type,
  position,
  x,
  y,
  width: 1,
  height: 1,
});

/** Where lines begin and end. Told, and not measured: to be measured, all cells would be drawn once. */
export const ends = {
  sideways: {
    sourcePosition: Position.Right,
    targetPosition: Position.Left,
    handles: [
      end('source', Position.Right, nodeWidth, nodeHeight / 2),
      end('target', Position.Left, 0, nodeHeight / 2),
    ],
  },
  down: {
    sourcePosition: Position.Bottom,
    targetPosition: Position.Top,
    handles: [end('source', Position.Bottom, nodeWidth / 2, nodeHeight), end('target', Position.Top, nodeWidth / 2, 0)],
  },
};
