// Who is asking. Without principal auth there is no identity and nothing to hold it against: every gate passes.

export interface Caller {
  /** False in personal mode, where scopes and tenants are not asked for. */
  readonly authenticated: boolean;
  readonly principal: string | null;
  readonly tenant: string | null;
  readonly scopes: ReadonlySet<string>;
}

export const anyone: Caller = { authenticated: false, principal: null, tenant: null, scopes: new Set() };

export function identified(principal: string, tenant: string | null, scopes: Iterable<string>): Caller {
  return { authenticated: true, principal, tenant, scopes: new Set(scopes) };
}

/** `admin:*` holds every scope; there is no other wildcard. */
export function holds(caller: Caller, scope: string): boolean {
  return !caller.authenticated || caller.scopes.has(scope) || caller.scopes.has('admin:*');
}

/**
 * A session is reached by its own tenant and by `admin:*`; one without a tenant only by callers without one. `tenant` is
 * undefined where tenants are not kept apart: whatever a caller says of one means nothing there.
 */
export function reachesSession(caller: Caller, { tenant }: { readonly tenant: string | null | undefined }): boolean {
  return !caller.authenticated || caller.scopes.has('admin:*') || tenant === undefined || caller.tenant === tenant;
}
