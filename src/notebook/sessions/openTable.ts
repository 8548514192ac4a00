// Everything that is open in this process.
import type { Caller } from '../../identity/index.ts';
import type { Homes } from '../../nodes/index.ts';
import type { EvictionLimits } from './eviction.ts';
import type { OpenNotebook, OpenSession } from './opened.ts';
import type { SessionParts } from './sessionParts.ts';

export interface OpenSessionsParts extends Omit<SessionParts, 'stores' | 'now' | 'onGone'> {
  readonly personal: boolean;
  readonly homes: Homes;
  readonly limits: EvictionLimits;
  readonly availableBytes: () => number;
  readonly now?: () => number;
}

export interface OpenTable {
  readonly sessions: Map<string, OpenSession>;
  /** By their directories, from the moment when somebody begins to open them. */
  readonly notebooks: Map<string, Promise<OpenNotebook>>;
  sessionsAt(directory: string): OpenSession[];
  /** The session that a caller has there: anybody's on a personal server. */
  sessionFor(directory: string, caller: Caller): OpenSession | undefined;
}

export function createOpenTable(personal: boolean): OpenTable {
  const sessions = new Map<string, OpenSession>();
  const sessionsAt = (directory: string): OpenSession[] =>
    [...sessions.values()].filter(({ live }) => live.directory === directory);
  return {
    sessions,
    notebooks: new Map(),
    sessionsAt,
    sessionFor: (directory, { principal }) =>
      sessionsAt(directory).find((session) => personal || (principal !== null && session.principal === principal)),
  };
}
