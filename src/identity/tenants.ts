// Tenant names and which tenants are served. `_default` stands for callers without one and cannot be sent by a client.
import { createRecentlyUsed } from '../recentlyUsed.ts';

import type { Caller } from './caller.ts';

export const defaultTenant = '_default';

/** Undefined when the name is good, otherwise what is wrong with it. */
export function tenantProblem(name: string): string | undefined {
  if (name.length > 64) return 'Tenant ID exceeds maximum length of 64 characters';
  if (!/^[a-zA-Z0-9][a-zA-Z0-9_-]*$/.test(name)) {
    return 'Tenant ID must start with alphanumeric and contain only alphanumeric characters, underscores, and hyphens';
  }
  return undefined;
}

/** What a deployment with tenants asks of every request. */
export interface TenantRule {
  readonly multiTenantEnabled: boolean;
  readonly requireTenantHeader: boolean;
  readonly tenantHeader: string;
}

/** The tenant that a caller acts in, or why there is none for them. Without tenancy everybody acts in the same one. */
export function tenantFor(
  { tenant }: Caller,
  rule: TenantRule,
  tenants: Tenants,
): { readonly tenant: string } | { readonly refused: 400 | 403; readonly text: string; readonly tenant?: string } {
  if (!rule.multiTenantEnabled) return { tenant: defaultTenant };
  if (tenant === null && rule.requireTenantHeader)
    return { refused: 400, text: `Missing required header: ${rule.tenantHeader}` };
  const problem = tenant === null ? undefined : tenantProblem(tenant);
  if (problem !== undefined) return { refused: 400, text: `Invalid tenant ID: ${problem}` };
  const name = tenant ?? defaultTenant;
  if (!tenants.isEnabled(name)) return { refused: 403, text: `Tenant '${name}' is not enabled`, tenant: name };
  tenants.see(name);
  return { tenant: name };
}

/** The tenants that have called, at most this many; the longest unseen is forgotten first. */
const maxKnown = 10_000;

/** Tenants are served unless the operator shut them out. */
export interface Tenants {
  /** Notes that a tenant called. */
  see(tenant: string): void;
  isKnown(tenant: string): boolean;
  isEnabled(tenant: string): boolean;
}

export function createTenants(disabledTenants: readonly string[]): Tenants {
  const known = createRecentlyUsed<true>(maxKnown);
  const disabled = new Set(disabledTenants);
  return {
    see(tenant) {
      known.set(tenant, true);
    },
    isKnown: (tenant) => known.peek(tenant) === true,
    isEnabled: (tenant) => !disabled.has(tenant),
  };
}
