// Makes the session through which a caller has a notebook open.
import type { Caller } from '../../identity/index.ts';
import type { OpenNotebook, OpenSession, SharedNotebook } from './opened.ts';

export interface SessionOptions {
  readonly caller: Caller;
  /** Of a session that another server had; undefined for a new one. */
  readonly sessionId: string | undefined;
  readonly hasTenants: boolean;
  /** Seconds of a clock that only goes forward. */
  readonly now: () => number;
}

export function openSession(
  notebook: OpenNotebook,
  shared: SharedNotebook,
  { caller, sessionId, hasTenants, now }: SessionOptions,
): OpenSession {
  let activeAt = now();
  return {
    ...shared,
    sessionId: sessionId ?? crypto.randomUUID(),
    notebook,
    caller,
    principal: caller.principal,
    tenant: hasTenants ? caller.tenant : undefined,
    get activeAt() {
      return activeAt;
    },
    touch() {
      activeAt = now();
    },
  };
}
