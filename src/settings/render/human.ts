// The listing people read in a terminal.

import type { LoadedSettings } from '../load.ts';
import { type SettingEntry, settingsTable } from '../table.ts';
import { currentValue, defaultWords, marksOf } from './facts.ts';

export function renderHuman(current?: LoadedSettings): string {
  const lines: string[] = [];
  let area: string | null = null;
  for (const entry of settingsTable) {
    if (entry.area !== area) lines.push(...(area === null ? [] : ['']), entry.area);
    area = entry.area;
    lines.push(`  ${headline(entry, current)}`, `      ${entry.row.meaning}`);
  }
  return `${lines.join('\n')}\n`;
}

function headline(entry: SettingEntry, current: LoadedSettings | undefined): string {
  const { environmentName, row } = entry;
  const now = currentValue(entry, current);
  if (now === null) return `${environmentName} (${notes(`default: ${defaultWords(row)}`, row)})`;
  return `${environmentName} = ${words(now.value)} (${notes(origin(now.source, row), row)})`;
}

function notes(first: string, row: SettingEntry['row']): string {
  return [first, ...marksOf(row)].join('; ');
}

/** A default that the value already spells out is not repeated. */
function origin(source: string, row: SettingEntry['row']): string {
  if (source !== 'default') return `from ${source}; default: ${defaultWords(row)}`;
  return row.default.words === null ? 'default' : `default: ${row.default.words}`;
}

function words(value: unknown): string {
  if (value === null) return 'unset';
  if (typeof value === 'object') return JSON.stringify(value);
  return value === '' ? 'empty' : String(value);
}
