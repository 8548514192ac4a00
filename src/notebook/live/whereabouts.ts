// Where cells are that were handed to workers: in line, starting, or on which machine they run. Clients that come late read it
// from the state; it ends with the run.
import type { RemoteEvent } from '../../runtimes/index.ts';
import type { Audience } from './audience.ts';
import { remotePayload } from './statusFrames.ts';

export interface Whereabouts {
  tell(cellId: string, event: RemoteEvent): void;
  of(cellId: string): RemoteEvent | undefined;
  end(cellId: string): void;
}

export function createWhereabouts(audience: Pick<Audience, 'broadcast'>): Whereabouts {
  const known = new Map<string, RemoteEvent>();
  return {
    tell(cellId, event) {
      known.set(cellId, event);
      audience.broadcast('cell_status', remotePayload(cellId, event));
    },
    of: (cellId) => known.get(cellId),
    end: (cellId) => void known.delete(cellId),
  };
}
