// `cell_status` payloads: what changed about a cell, in the words of the wire.
import type { JoinAdvice } from '../../protocol/index.ts';
import type { RemoteEvent } from '../../runtimes/index.ts';
import type { SessionState } from '../state/index.ts';

export function statusPayload(session: SessionState, cellId: string, toJoin: readonly JoinAdvice[] = []): object {
  const cell = session.cells.get(cellId);
  return {
    cell_id: cellId,
    status: cell?.status ?? 'idle',
    staleness_reasons: cell?.reasons ?? [],
    ...(cell?.causality ? { causality: cell.causality } : {}),
    ...(toJoin.length > 0 ? { to_join: toJoin } : {}),
  };
}

/** The frame that begins a run clears the console of clients; it says nothing else. */
export const runningPayload = (cellId: string): object => ({ cell_id: cellId, status: 'running' });

/** Moves the badge of a run on a worker; the state that it names keeps clients from clearing the console. */
export const remotePayload = (cellId: string, event: RemoteEvent): object => ({
  cell_id: cellId,
  status: 'running',
  ...remoteFields(event),
});

export const remoteFields = ({ worker, transport, state, position, detail }: RemoteEvent) => ({
  remote_worker: worker,
  remote_transport: transport,
  remote_build_state: state,
  ...(position === null ? {} : { remote_queue_position: position }),
  ...(detail === null ? {} : { remote_queue_detail: detail }),
});
