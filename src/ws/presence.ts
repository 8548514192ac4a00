// Who is looking at a session and where. An identity is one entry however many tabs it has; edits that come over REST
// count as presence for a minute.

export interface Present {
  readonly principal: string;
  readonly focused_cell_id: string | null;
  readonly since: number;
}

export interface Presence {
  join(connection: object, principal: string): void;
  leave(connection: object): void;
  /** False when nothing changed. */
  focus(connection: object, cellId: string | null, principal?: string): boolean;
  /** An edit by somebody without a socket. */
  visited(principal: string, cellId: string): void;
  identityOf(connection: object): string;
  list(): Present[];
}

const visitSeconds = 60;

export function createPresence(now: () => number = () => Date.now() / 1000): Presence {
  const connections = new Map<object, { principal: string; cellId: string | null; since: number }>();
  const visits = new Map<string, { cellId: string; at: number }>();
  return {
    join: (connection, principal) => void connections.set(connection, { principal, cellId: null, since: now() }),
    leave: (connection) => void connections.delete(connection),
    focus(connection, cellId, principal) {
      const entry = connections.get(connection);
      if (!entry || (entry.cellId === cellId && (principal === undefined || principal === entry.principal)))
        return false;
      // Joined anew at the end: of several tabs of one identity the latest focus is shown.
      connections.delete(connection);
      connections.set(connection, { ...entry, cellId, principal: principal ?? entry.principal });
      return true;
    },
    visited: (principal, cellId) => void visits.set(principal, { cellId, at: now() }),
    identityOf: (connection) => connections.get(connection)?.principal ?? 'local',
    list() {
      const present = new Map<string, Present>();
      for (const [principal, { cellId, at }] of visits) {
        if (now() - at > visitSeconds) visits.delete(principal);
        else present.set(principal, { principal, focused_cell_id: cellId, since: at });
      }
      for (const { principal, cellId, since } of connections.values()) {
        const earlier = present.get(principal);
        present.set(principal, {
          principal,
          focused_cell_id: cellId ?? earlier?.focused_cell_id ?? null,
          since: Math.min(since, earlier?.since ?? since),
        });
      }
      return [...present.values()].sort((a, b) => (a.principal < b.principal ? -1 : 1));
    },
  };
}
