// Who has one notebook open, each through a session, and on whose behalf it works just now.
import { actingCaller, type Caller } from '../../identity/index.ts';
import type { OpenSession } from './opened.ts';

export interface People {
  /** Whoever came first stands first. */
  sessions(): readonly OpenSession[];
  add(session: OpenSession): void;
  remove(session: OpenSession): void;
  /** Who asked for what is being done; for what nobody asked for, whoever has been here longest. */
  caller(): Caller;
  /** Through which session: their own, or, where they have none, the oldest. */
  session(): OpenSession | undefined;
}

export function createPeople(opener: Caller): People {
  let sessions: readonly OpenSession[] = [];
  const caller = (): Caller => actingCaller() ?? sessions[0]?.caller ?? opener;
  return {
    sessions: () => sessions,
    add(session) {
      sessions = [...sessions, session];
    },
    remove(session) {
      sessions = sessions.filter((one) => one !== session);
    },
    caller,
    session: () => sessions.find(({ principal }) => principal === caller().principal) ?? sessions[0],
  };
}
