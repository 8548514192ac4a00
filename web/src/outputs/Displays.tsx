// What a cell shows, in its order. The rows of a query come as Markdown; where they are stored they are browsed instead.
import { type CellModel, queryResult } from '../state/index.ts';
import { Output } from './Output.tsx';

export function Displays({ cell, sessionId }: { cell: CellModel; sessionId: string }) {
  const table = queryResult(cell);
  return cell.displays.map((display, index) => (
    <Output
      // biome-ignore lint/suspicious/noArrayIndexKey: a display is its place among the cell's displays
      key={index}
      display={display}
      table={table}
      index={index}
      cellId={cell.id}
      sessionId={sessionId}
    />
  ));
}
