// Every rule a complete set of settings must pass before the server starts.

import type { SettingKey, Settings } from '../table.ts';
import { adaptiveRefusals } from './adaptive.ts';
import { catalogRefusals } from './catalogs.ts';
import { identityRefusals } from './identity.ts';
import { networkRefusals } from './network.ts';
import type { StartupRefusal } from './refusal.ts';
import { storeRefusals } from './stores.ts';

const REFUSALS: readonly StartupRefusal[] = [
  ...identityRefusals,
  ...networkRefusals,
  ...storeRefusals,
  ...catalogRefusals,
  ...adaptiveRefusals,
];

/** Rules that read a malformed setting are skipped: its default says nothing about what the operator meant. */
export function refusalsOf(settings: Settings, malformed: ReadonlySet<SettingKey>): string[] {
  return REFUSALS.filter(({ reads }) => !reads.some((key) => malformed.has(key))).flatMap(({ check }) =>
    check(settings),
  );
}
