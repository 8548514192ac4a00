// Turns the headers of a request into a caller, in whichever way this deployment asks for.
import type { Settings } from '../settings/index.ts';
import type { ApiKeys } from './apiKeys.ts';
import { anyone, type Caller, identified } from './caller.ts';
import type { RunTokenReach, RunTokens } from './runTokens.ts';
import { secretMatcher } from './secrets.ts';
import { signedInKey } from './signedIn.ts';

export interface PresentedCredentials {
  /** What the route that matched declares of run tokens, and the session that it names. */
  readonly runTokenReach: RunTokenReach | undefined;
  readonly sessionId: string | undefined;
  /** Every value that was sent under a header name; more than one is never accepted as an identity. */
  header(name: string): readonly string[];
}

export type Identification = { readonly caller: Caller } | { readonly refused: 401 | 403; readonly detail: string };

export type Authenticator = (credentials: PresentedCredentials) => Identification | Promise<Identification>;

export const runTokenHeader = 'x-svc-run-token';

const unauthorized: Identification = { refused: 401, detail: 'Unauthorized' };

export interface AuthenticatorParts {
  readonly settings: Settings;
  readonly apiKeys: ApiKeys | undefined;
  readonly runTokens: RunTokens;
}

export function createAuthenticator({ settings, apiKeys, runTokens }: AuthenticatorParts): Authenticator {
  if (settings.authMode === 'none') return () => ({ caller: anyone });
  const primary = settings.authMode === 'trusted_proxy' ? trustedProxy(settings) : keys(apiKeys, settings);
  return (credentials) => {
    const sent = credentials.header(runTokenHeader);
    return sent.length === 0 ? primary(credentials) : byRunToken(runTokens, sent, credentials);
  };
}

function byRunToken(
  runTokens: RunTokens,
  sent: readonly string[],
  { runTokenReach, sessionId }: PresentedCredentials,
): Identification {
  const [token = '', ...others] = sent;
  const run = others.length === 0 ? runTokens.find(token) : undefined;
  if (!run) return unauthorized;
  const reaches = runTokenReach === 'anywhere' || (runTokenReach === 'own session' && sessionId === run.sessionId);
  if (reaches) return { caller: run.caller };
  return { refused: 403, detail: "A cell's run token does not reach this route" };
}

function trustedProxy(settings: Settings): Authenticator {
  const tokenMatches = secretMatcher(settings.proxyToken ?? '');
  return ({ header }) => {
    const sent = (name: string): string | undefined => {
      const values = header(name);
      return values.length === 1 ? values[0] : undefined;
    };
    const token = sent(settings.proxyTokenHeader);
    if (!token || !tokenMatches(token)) return unauthorized;
    const principal = sent(settings.principalHeader);
    if (!principal) return { refused: 401, detail: 'Missing principal header' };
    const scopes = (sent(settings.scopesHeader) ?? '').split(/\s+/).filter(Boolean);
    // Sent twice, it must not pass for none: joined, it is a name that the tenant check refuses.
    return { caller: identified(principal, header(settings.tenantHeader).join(', ') || null, scopes) };
  };
}

/** In a header, or in the cookie of a person who signed in; what a header says comes first. */
function keys(apiKeys: ApiKeys | undefined, settings: Settings): Authenticator {
  return async ({ header }) => {
    const values = header('authorization');
    const inHeader = values.length === 1 ? /^bearer +(\S+)\s*$/i.exec(values[0] ?? '')?.[1] : undefined;
    const key = values.length === 0 ? signedInKey(header, settings) : inHeader;
    if (key === undefined) return { refused: 401, detail: 'Missing or malformed Authorization header' };
    const caller = await apiKeys?.verify(key);
    return caller ? { caller } : unauthorized;
  };
}
