// The hubs of all open notebooks, by the ids of their sessions: whoever has the same notebook open meets in one hub.
import { createHub, type Hub } from './hub.ts';

export interface Hubs {
  /** Made for the first who asks. */
  of(id: string): Hub;
  /** From now on the session is found in the hub of another id. */
  share(sessionId: string, id: string): void;
  forget(id: string): void;
}

export function createHubs(): Hubs {
  const hubs = new Map<string, Hub>();
  function of(id: string): Hub {
    const hub = hubs.get(id) ?? createHub();
    hubs.set(id, hub);
    return hub;
  }
  return {
    of,
    share: (sessionId, id) => void hubs.set(sessionId, of(id)),
    forget: (id) => void hubs.delete(id),
  };
}
