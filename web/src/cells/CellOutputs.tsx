// What a cell printed, what it showed, and what went wrong.

import { memo } from 'react';
import { kindOf } from '../../../src/cellLanguages.ts';
import { useNotebook } from '../notebook/context.ts';
import { Displays } from '../outputs/Displays.tsx';
import type { CellModel } from '../state/index.ts';
import { Console } from './Console.tsx';
import { Failure } from './Failure.tsx';

export const CellOutputs = memo(function CellOutputs({ cell }: { cell: CellModel }) {
  const { sessionId } = useNotebook();
  if (kindOf(cell.language) === 'text') return null;
  const isOld = !cell.isImported && cell.status !== 'ready' && cell.status !== 'error' && cell.status !== 'running';
  const hasOutput = cell.displays.length > 0 || cell.stdout !== '' || cell.stderr !== '' || cell.problem !== null;
  if (!hasOutput) return null;
  // What it showed stays until there is more: nothing that others read or press below moves, only because it runs again.
  const isAnew = cell.status === 'running';
  return (
    <div className={isOld ? 'outputs old' : isAnew ? 'outputs anew' : 'outputs'}>
      {cell.isImported && <p className="quiet imported">Imported: shown as it came, not run here yet.</p>}
      <Console cell={cell} />
      {cell.problem !== null && <Failure cell={cell} problem={cell.problem} />}
      <Displays cell={cell} sessionId={sessionId} />
    </div>
  );
});
