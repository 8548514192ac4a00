// Tenant names and which tenants are served. `_default` stands for callers without one and cannot be sent by a client.

export const defaultTenant = '_default';

/** Undefined when the name is good, otherwise what is wrong with it. */
export function tenantProblem(name: string): string | undefined {
  if (name.length > 64) return 'Tenant ID exceeds maximum length of 64 characters';
  if (!/^[a-zA-Z0-9][a-zA-Z0-9_-]*$/.test(name)) {
    return 'Tenant ID must start with alphanumeric and contain only alphanumeric characters, underscores, and hyphens';
  }
  return undefined;
}

/** Tenants are served unless they were shut out. */
export interface Tenants {
  isEnabled(tenant: string): boolean;
  setEnabled(tenant: string, enabled: boolean): void;
}

export function createTenants(): Tenants {
  const disabled = new Set<string>();
  return {
    isEnabled: (tenant) => !disabled.has(tenant),
    setEnabled(tenant, enabled) {
      if (enabled) disabled.delete(tenant);
      else disabled.add(tenant);
    },
  };
}
