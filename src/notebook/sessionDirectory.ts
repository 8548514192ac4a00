// The sessions that are open in this process, by id. What a session holds is not known here, only whose it is.

export interface OpenSession {
  readonly sessionId: string;
  readonly name: string;
  readonly path: string;
  /** The tenant of whoever opened it; null when they had none. */
  readonly tenant: string | null;
}

export interface SessionDirectory {
  find(sessionId: string): OpenSession | undefined;
  list(): readonly OpenSession[];
  add(session: OpenSession): void;
  remove(sessionId: string): void;
}

export function createSessionDirectory(): SessionDirectory {
  const sessions = new Map<string, OpenSession>();
  return {
    find: (sessionId) => sessions.get(sessionId),
    list: () => [...sessions.values()],
    add: (session) => void sessions.set(session.sessionId, session),
    remove: (sessionId) => void sessions.delete(sessionId),
  };
}
