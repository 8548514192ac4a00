// What a cell shows, in its order. The rows of a query come as Markdown; where they are stored they are browsed instead.
import { lazy, Suspense } from 'react';
import type { DisplayRecord } from '../../../src/protocol/index.ts';
import { widgetType } from '../../../src/widgetType.ts';
import { type CellModel, queryResult } from '../state/index.ts';
import { Output } from './Output.tsx';

const KeptControls = lazy(() => import('./KeptControls.tsx').then((room) => ({ default: room.KeptControls })));

export function Displays({ cell, sessionId }: { cell: CellModel; sessionId: string }) {
  const table = queryResult(cell);
  const isHeard = cell.displays.some(isHeardWidget) && !cell.isImported;
  return (
    <>
      {cell.displays.map((display, index) => (
        <Output
          // biome-ignore lint/suspicious/noArrayIndexKey: a display is its place among the cell's displays
          key={index}
          display={display}
          table={table}
          index={index}
          cellId={cell.id}
          sessionId={sessionId}
        />
      ))}
      {isHeard && (
        <Suspense>
          <KeptControls cellId={cell.id} />
        </Suspense>
      )}
    </>
  );
}

/** Whether code of the cell wants to hear what is done with it; one that is too large to come along may well have such. */
const isHeardWidget = ({ content_type, inline_text }: DisplayRecord): boolean =>
  content_type === widgetType && (typeof inline_text !== 'string' || inline_text.includes('"is_heard": true'));
