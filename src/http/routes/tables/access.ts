// What of tables is there for a caller: the table of an address, by the name that is then read, and what they ordered before.
import { refusals } from '../../../errors/index.ts';
import { type Caller, holds, mayReadAddress } from '../../../identity/index.ts';
import type { Services } from '../../services.ts';

export function checkTable({ settings }: Pick<Services, 'settings'>, caller: Caller, uri: string): void {
  if (!mayReadAddress(settings, caller, uri)) throw refusals.tableNotFound(settings.hideForbiddenAsNotFound);
}

/** Streams and builds belong to whoever asked for them. */
export const isOwn = (
  { principal, tenant }: { readonly principal: string | null; readonly tenant: string },
  caller: Caller,
): boolean =>
  !caller.authenticated ||
  holds(caller, 'admin:*') ||
  (principal === caller.principal && tenant === (caller.tenant ?? ''));
