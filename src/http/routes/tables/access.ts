// May this caller read the table of an address? What is checked is the name that is then read.
import { refusals } from '../../../errors/index.ts';
import { type Caller, type Catalogs, mayReadTable, tableNameOf } from '../../../identity/index.ts';
import type { Services } from '../../services.ts';

export function catalogsOf({ settings }: Pick<Services, 'settings'>): Catalogs {
  const shared = settings.catalogUri !== null || 'uri' in settings.catalogProperties;
  return { named: new Set(Object.keys(settings.catalogs)), shared };
}

export function checkTable({ settings }: Pick<Services, 'settings'>, caller: Caller, uri: string): void {
  if (!mayReadTable(settings.aclConfig, caller, tableNameOf(uri, catalogsOf({ settings }))))
    throw refusals.tableNotFound(settings.hideForbiddenAsNotFound);
}
