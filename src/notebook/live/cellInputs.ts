// How much a cell reads from far away, as its last look found: told before a run when it is another than before.
import type { FarInput } from '../languages/index.ts';
import type { Execution } from './execution.ts';

export interface CellInputs {
  /** What was found at the last look that asked; undefined before the first. */
  of(cellId: string): readonly FarInput[] | undefined;
  /** The cell asks nobody any more. */
  none(cellId: string): void;
  /** The same look, and whoever watches hears of it. */
  watching(look: Execution['look']): Execution['look'];
}

export function createCellInputs(
  machineOf: (cellId: string) => string,
  broadcast: (type: string, payload: object) => void,
): CellInputs {
  const found = new Map<string, readonly FarInput[]>();

  function tell(cellId: string, inputs: readonly FarInput[]): void {
    const before = found.get(cellId) ?? [];
    found.set(cellId, inputs);
    if (JSON.stringify(before) !== JSON.stringify(inputs))
      broadcast('cell_inputs', { cell_id: cellId, machine: machineOf(cellId), inputs });
  }

  return {
    of: (cellId) => found.get(cellId),
    none(cellId) {
      if (found.has(cellId)) tell(cellId, []);
    },
    watching: (look) => async (cellId, options) => {
      const looked = await look(cellId, options);
      if (options.mayAsk && looked && !('problem' in looked)) tell(cellId, looked.far ?? []);
      return looked;
    },
  };
}
