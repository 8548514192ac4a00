// May this caller read this table? Deny rules are asked first, about every name the table goes by; an allow counts only
// for the name it was written for; the default decides the rest. Callers pass the same normalised name they then read.

import { Refusal } from '../errors/index.ts';
import { matchesGlob } from '../globs.ts';
import type { AclConfig, AclRule, Settings } from '../settings/index.ts';
import { parseTableAddress, type TableAddress } from '../tableAddress.ts';
import type { Caller } from './caller.ts';
import { type TableName, tableNameOf } from './tableName.ts';

export function mayReadTable(acl: AclConfig, caller: Caller, table: TableName): boolean {
  if (!caller.authenticated) return true;
  const { reference } = table;
  const names = [reference, ...(table.aliases ?? [])];
  if (acl.deny.some((rule) => names.some((name) => applies(rule, caller, name)))) return false;
  if (acl.allow.some((rule) => applies(rule, caller, reference))) return true;
  return acl.default === 'allow';
}

/** May this caller read the table of an address? */
export function mayReadAddress(settings: AddressSettings, caller: Caller, address: TableAddress): boolean {
  const { catalogUri, catalogProperties, aclConfig } = settings;
  const shared = catalogUri !== null || 'uri' in catalogProperties;
  return mayReadTable(aclConfig, caller, tableNameOf(address, shared));
}

/** The same for an address that a result was made from, as the server's catalogs are now; what names no table nobody may read. */
export function mayReadRecorded(settings: AddressSettings, caller: Caller, uri: string): boolean {
  if (!caller.authenticated) return true;
  try {
    return mayReadAddress(settings, caller, parseTableAddress(uri, new Set(Object.keys(settings.catalogs))));
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

type AddressSettings = Pick<Settings, 'catalogs' | 'catalogUri' | 'catalogProperties' | 'aclConfig'>;

function applies(rule: AclRule, caller: Caller, name: string): boolean {
  return (
    matchesGlob(rule.principal, caller.principal ?? '') &&
    (rule.tenant === null || rule.tenant === caller.tenant) &&
    rule.tables.some((pattern) => matchesGlob(pattern, name))
  );
}
