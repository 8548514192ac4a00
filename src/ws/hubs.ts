// The hubs of all sessions, by session id; made when a session is opened and gone when it is closed.
import { createHub, type Hub } from './hub.ts';

export interface Hubs {
  of(sessionId: string): Hub;
  forget(sessionId: string): void;
}

export function createHubs(): Hubs {
  const hubs = new Map<string, Hub>();
  return {
    of(sessionId) {
      const hub = hubs.get(sessionId) ?? createHub();
      hubs.set(sessionId, hub);
      return hub;
    },
    forget: (sessionId) => void hubs.delete(sessionId),
  };
}
