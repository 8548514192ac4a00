// The listing programs read: one object for each setting.

import type { LoadedSettings } from '../load.ts';
import { settingsTable } from '../table.ts';
import { currentValue, defaultWords } from './facts.ts';

export function renderJson(current?: LoadedSettings): string {
  const listing = settingsTable.map((entry) => ({
    name: entry.environmentName,
    config_key: entry.row.environmentOnly ? null : entry.configKey,
    area: entry.area,
    type: entry.row.kind.label,
    default: defaultWords(entry.row),
    meaning: entry.row.meaning,
    program: entry.row.program,
    environment_only: entry.row.environmentOnly,
    secret: entry.row.secret,
    ...currentValue(entry, current),
  }));
  return `${JSON.stringify(listing, null, 2)}\n`;
}
