// Where a caller's notebooks lie: the storage root, or with multi-tenancy the tenant's own folder in it.
import path from 'node:path';
import { type Caller, defaultTenant } from '../../identity/index.ts';
import type { Settings } from '../../settings/index.ts';

export function notebookRoot(settings: Settings, caller: Caller): string {
  if (!settings.multiTenantEnabled || caller.scopes.has('admin:*')) return settings.notebookStorageDir;
  return path.join(settings.notebookStorageDir, caller.tenant ?? defaultTenant);
}
