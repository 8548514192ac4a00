// Where a caller's notebooks lie: the storage root, or with multi-tenancy the tenant's own folder in it.
import fs from 'node:fs/promises';
import path from 'node:path';
import { type Caller, defaultTenant } from '../../identity/index.ts';
import type { Settings } from '../../settings/index.ts';

export function notebookRoot(settings: Settings, caller: Caller): string {
  if (!settings.multiTenantEnabled || caller.scopes.has('admin:*')) return settings.notebookStorageDir;
  return path.join(settings.notebookStorageDir, caller.tenant ?? defaultTenant);
}

/** The same, made when it is first needed. A tenant's folder can be entered but not listed by others. */
export async function openNotebookRoot(settings: Settings, caller: Caller): Promise<string> {
  const root = notebookRoot(settings, caller);
  await fs.mkdir(root, { recursive: true, mode: settings.multiTenantEnabled ? 0o711 : 0o755 });
  return root;
}
