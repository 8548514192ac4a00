// What of tables is there for a caller: the table of an address, by the name that is then read, and what they ordered before.
import { refusals } from '../../../errors/index.ts';
import { type Caller, holds, mayReadAddress } from '../../../identity/index.ts';
import type { TableAddress } from '../../../tableAddress.ts';
import type { Services } from '../../services.ts';

/** The address as it is then read. What names no table is refused before anybody is told whether they may read it. */
export function checkTable(
  { settings, tables }: Pick<Services, 'settings' | 'tables'>,
  caller: Caller,
  uri: string,
): TableAddress {
  const address = tables.planner.address(uri);
  if (!mayReadAddress(settings, caller, address)) throw refusals.tableNotFound(settings.hideForbiddenAsNotFound);
  return address;
}

/** Streams and builds belong to whoever asked for them. */
export const isOwn = (
  { principal, tenant }: { readonly principal: string | null; readonly tenant: string },
  caller: Caller,
): boolean =>
  !caller.authenticated ||
  holds(caller, 'admin:*') ||
  (principal === caller.principal && tenant === (caller.tenant ?? ''));
