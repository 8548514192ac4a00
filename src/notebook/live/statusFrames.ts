// `cell_status` payloads: what changed about a cell, in the words of the wire.
import type { SessionState } from '../session/index.ts';

export function statusPayload(session: SessionState, cellId: string): object {
  const cell = session.cells.get(cellId);
  return {
    cell_id: cellId,
    status: cell?.status ?? 'idle',
    staleness_reasons: cell?.reasons ?? [],
    ...(cell?.causality ? { causality: cell.causality } : {}),
  };
}

/** The frame that begins a run clears the console of clients; it says nothing else. */
export const runningPayload = (cellId: string): object => ({ cell_id: cellId, status: 'running' });
