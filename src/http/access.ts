// Who may ask for a route. Each route declares it where it is registered; the gates in front of all routes, the description
// of the API and the table in `docs/access.md` read the declaration, and nothing else decides.
import { type Refusal, refusals } from '../errors/index.ts';
import { type Caller, holds, type RunTokenReach, type Scope } from '../identity/index.ts';
import type { Settings } from '../settings/index.ts';

export interface Access {
  /** Without one, any caller that the service knows will do. */
  readonly scope?: Scope;
  /**
   * When no identity is asked for: probes must get through whatever else goes on, publications are read by everybody, whoever signs in
   * is nobody yet, and a signed address is its own credential (sent without a signature, the route asks as others do).
   */
  readonly open?: 'probe' | 'published' | 'signed' | 'sign-in';
  /** Service mode refuses it to everyone, `admin:*` included, each kind in its own words. */
  readonly personalOnly?: 'notebook' | 'artifact';
  /** A running cell's own client may ask for it. */
  readonly runToken?: RunTokenReach;
  /** Not counted by the rate limiter. */
  readonly unlimited?: true;
  /** What the handler asks for besides, in words. */
  readonly besides?: string;
}

export interface DeclaredRoute {
  readonly method: string;
  /** With `:name` for a part of the path and `*` for the rest of it. */
  readonly url: string;
  readonly access: Access;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
  interface FastifyInstance {
    /** Every route with its declaration, in the order of registration. */
    readonly declaredRoutes: readonly DeclaredRoute[];
  }
}

type Config = { readonly access: Access };

/** A caller must hold this scope. */
export const needs = (scope: Scope, more: Omit<Access, 'scope'> = {}): Config => ({ access: { scope, ...more } });

/** Whoever the service knows; what they see is decided by what they ask for. */
export const anyCaller = (more: Omit<Access, 'scope' | 'open'> = {}): Config => ({ access: more });

/** No identity is asked for. */
export const open = (why: NonNullable<Access['open']>): Config => ({ access: { open: why } });

export const isUnlimited = (access: Access | undefined): boolean =>
  access?.open === 'probe' || access?.unlimited === true;

/** Why this caller may not ask for a route with this declaration; undefined where they may. */
export function refusalFor(access: Access, caller: Caller, settings: Settings): Refusal | undefined {
  const { scope, personalOnly } = access;
  if (settings.deploymentMode === 'service' && personalOnly !== undefined)
    return personalOnly === 'notebook' ? refusals.notebookSessionsArePersonal() : refusals.artifactRouteIsPersonal();
  if (scope === undefined) return undefined;
  if (scope === 'artifacts:write') return artifactWriteRefusal(caller, settings);
  return holds(caller, scope) ? undefined : refusals.insufficientScope(scope);
}

/** Artifact writes of a service are off unless switched on, and then need their scope. */
export function artifactWriteRefusal(caller: Caller, settings: Settings): Refusal | undefined {
  if (settings.deploymentMode === 'service' && !settings.serviceWritesEnabled) return refusals.writesDisabled();
  return holds(caller, 'artifacts:write') ? undefined : refusals.writeScopeMissing();
}
