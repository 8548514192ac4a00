// May this caller read the table of an address? What is checked is the name that is then read.
import { refusals } from '../../../errors/index.ts';
import { type Caller, mayReadAddress } from '../../../identity/index.ts';
import type { Services } from '../../services.ts';

export function checkTable({ settings }: Pick<Services, 'settings'>, caller: Caller, uri: string): void {
  if (!mayReadAddress(settings, caller, uri)) throw refusals.tableNotFound(settings.hideForbiddenAsNotFound);
}
