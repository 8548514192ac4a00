// What of tables is there for a caller: the table of an address, by the name that is then read, and what they ordered before.
import { refusals } from '../../../errors/index.ts';
import { type Caller, type Catalogs, holds, mayReadTable, tableNameOf } from '../../../identity/index.ts';
import type { Services } from '../../services.ts';

type Rules = Pick<Services, 'settings' | 'credentials'>;

export function catalogsOf({ settings, credentials }: Rules): Catalogs {
  const shared = settings.catalogUri !== null || 'uri' in settings.catalogProperties;
  return { named: new Set(Object.keys(credentials.catalogs())), shared };
}

export function checkTable(services: Rules, caller: Caller, uri: string): void {
  const { settings } = services;
  if (!mayReadTable(settings.aclConfig, caller, tableNameOf(uri, catalogsOf(services))))
    throw refusals.tableNotFound(settings.hideForbiddenAsNotFound);
}

/** Streams and builds belong to whoever asked for them. */
export const isOwn = (
  { principal, tenant }: { readonly principal: string | null; readonly tenant: string },
  caller: Caller,
): boolean =>
  !caller.authenticated ||
  holds(caller, 'admin:*') ||
  (principal === caller.principal && tenant === (caller.tenant ?? ''));
