// What a cell printed, what it showed, and what went wrong.
import { memo } from 'react';
import { useNotebook } from '../notebook/context.ts';
import { Output } from '../outputs/Output.tsx';
import type { CellModel } from '../state/index.ts';
import { Console } from './Console.tsx';
import { Failure } from './Failure.tsx';

export const CellOutputs = memo(function CellOutputs({ cell }: { cell: CellModel }) {
  const { sessionId } = useNotebook();
  if (cell.language === 'markdown') return null;
  const isOld = cell.status !== 'ready' && cell.status !== 'error' && cell.status !== 'running';
  const hasOutput = cell.displays.length > 0 || cell.stdout !== '' || cell.stderr !== '' || cell.problem !== null;
  if (!hasOutput) return null;
  return (
    <div className={isOld ? 'outputs old' : 'outputs'}>
      <Console cell={cell} />
      {cell.problem !== null && <Failure cell={cell} problem={cell.problem} />}
      {cell.status !== 'running' &&
        cell.displays.map((display, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a display is its place among the cell's displays
          <Output key={index} display={display} index={index} cellId={cell.id} sessionId={sessionId} />
        ))}
    </div>
  );
});
