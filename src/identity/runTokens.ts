// Tokens by which a running cell's own client speaks for whoever started the run: alive only as long as the run, never
// with an `admin:` scope, and good only for the routes that such a client needs.
import { type Caller, identified } from './caller.ts';
import { newSecret, sha256Hex } from './secrets.ts';

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

const reachable = new Set([
  'POST /v1/materialize',
  'GET /v1/streams/:stream_id',
  'GET /v1/artifacts/:artifact_id/v/:version/data',
  'PUT /v1/artifacts',
  'GET /v1/artifacts/:artifact_id/v/:version/tags',
  'PUT /v1/artifacts/:artifact_id/v/:version/tags',
  'POST /v1/names',
  'GET /v1/names/*',
  'PUT /v1/names/*',
  'GET /v1/registry/audit',
]);

const promotion = 'POST /v1/notebooks/:session_id/artifacts/:artifact_id/v/:version/promote';

/** `ownSession`: the route names the session that the run belongs to. */
export function runTokenReaches(method: string, template: string | undefined, ownSession: boolean): boolean {
  const route = `${method} ${template}`;
  return reachable.has(route) || (ownSession && route === promotion);
}
