// Tokens by which a running cell's own client speaks for whoever started the run: alive only as long as the run, never
// with an `admin:` scope, and good only for the routes that such a client needs.

import { newSecret } from '../newSecret.ts';
import { type Caller, identified } from './caller.ts';
import { sha256Hex } from './secrets.ts';

interface LiveRun {
  readonly caller: Caller;
  readonly sessionId: string;
  readonly expiresAt: number;
}

export interface RunTokens {
  /** `seconds`: the cell's timeout; the token outlives it by a minute so that a last write still arrives. */
  mint(run: { caller: Caller; sessionId: string; seconds: number }): { token: string; end: () => void };
  find(token: string): { caller: Caller; sessionId: string } | undefined;
}

const graceSeconds = 60;

export function createRunTokens(now: () => number = () => performance.now() / 1000): RunTokens {
  const live = new Map<string, LiveRun>();
  return {
    mint({ caller, sessionId, seconds }) {
      const token = newSecret();
      const hash = sha256Hex(token);
      live.set(hash, { caller: withoutAdmin(caller), sessionId, expiresAt: now() + seconds + graceSeconds });
      return { token, end: () => live.delete(hash) };
    },
    find(token) {
      const hash = sha256Hex(token);
      const run = live.get(hash);
      if (!run) return undefined;
      if (run.expiresAt > now()) return run;
      live.delete(hash);
      return undefined;
    },
  };
}

function withoutAdmin(caller: Caller): Caller {
  if (!caller.authenticated || caller.principal === null) return caller;
  const scopes = [...caller.scopes].filter((scope) => !scope.startsWith('admin:'));
  return identified(caller.principal, caller.tenant, scopes);
}

/** How a route is there for the tokens of runs: for all of them, or where it names the session that the run belongs to. */
export type RunTokenReach = 'anywhere' | 'own session';
