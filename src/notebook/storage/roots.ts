// Where a caller's notebooks lie: the storage root, or with multi-tenancy the tenant's own folder in it.
import fs from 'node:fs/promises';
import path from 'node:path';
import { type Caller, defaultTenant } from '../../identity/index.ts';
import type { Settings } from '../../settings/index.ts';

export function notebookRoot(settings: Settings, caller: Caller): string {
  if (!settings.multiTenantEnabled || caller.scopes.has('admin:*')) return settings.notebookStorageDir;
  return path.join(settings.notebookStorageDir, caller.tenant ?? defaultTenant);
}

/** The root as a real folder, made on first use. Tenants may pass through each other's folders but not list them. */
export async function openNotebookRoot(settings: Settings, caller: Caller): Promise<string> {
  const root = notebookRoot(settings, caller);
  const isTenantFolder = root !== settings.notebookStorageDir;
  await fs.mkdir(settings.notebookStorageDir, { recursive: true });
  if (isTenantFolder) await fs.mkdir(root, { recursive: true, mode: 0o711 });
  return fs.realpath(root);
}
