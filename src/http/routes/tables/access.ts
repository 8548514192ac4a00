// May this caller read the table of an address? What is checked is the name that is then read.
import { refusals } from '../../../errors/index.ts';
import { type Caller, type Catalogs, mayReadTable, tableNameOf } from '../../../identity/index.ts';
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
