// May this caller read this table? Deny rules are asked first, about every name the table goes by; an allow counts only
// for the name it was written for; the default decides the rest. Callers pass the same normalised name they then read.

import { matchesGlob } from '../globs.ts';
import type { AclConfig, AclRule, Settings } from '../settings/index.ts';
import type { Caller } from './caller.ts';
import { type TableName, tableNameOf } from './tableName.ts';

export function mayReadTable(acl: AclConfig, caller: Caller, table: TableName): boolean {
  if (!caller.authenticated) return true;
  const { reference } = table;
  if (reference === undefined) return false;
  const names = [reference, ...(table.aliases ?? [])];
  if (acl.deny.some((rule) => names.some((name) => applies(rule, caller, name)))) return false;
  if (acl.allow.some((rule) => applies(rule, caller, reference))) return true;
  return acl.default === 'allow';
}

/** May this caller read the table that an address names, as the server's catalogs are now? */
export function mayReadAddress(settings: AddressSettings, caller: Caller, uri: string): boolean {
  const { catalogs, catalogUri, catalogProperties, aclConfig } = settings;
  const shared = catalogUri !== null || 'uri' in catalogProperties;
  return mayReadTable(aclConfig, caller, tableNameOf(uri, { named: new Set(Object.keys(catalogs)), shared }));
}

type AddressSettings = Pick<Settings, 'catalogs' | 'catalogUri' | 'catalogProperties' | 'aclConfig'>;

function applies(rule: AclRule, caller: Caller, name: string): boolean {
  return (
    matchesGlob(rule.principal, caller.principal ?? '') &&
    (rule.tenant === null || rule.tenant === caller.tenant) &&
    rule.tables.some((pattern) => matchesGlob(pattern, name))
  );
}
