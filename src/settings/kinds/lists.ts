// Kinds that hold several strings. A comma list may also be written as a JSON array; a JSON array may not be written
// with commas alone, because an origin list that was half understood would open or close the wrong door.

import { accept, type Kind, quote, type Reading, refuse, refuseWhole, type SettingFlaw } from './kind.ts';

/** What is wrong with one entry; null when nothing is. */
export type EntryFlaw = (entry: string) => string | null;

const anyEntry: EntryFlaw = (entry) => (entry === '' ? 'is empty' : null);

export function commaList(label: string, entryFlaw: EntryFlaw = anyEntry): Kind<readonly string[]> {
  return {
    label: `comma list of ${label}`,
    fromText: (source) => (source.startsWith('[') ? fromJson(source, entryFlaw) : checkAll(split(source), entryFlaw)),
    fromValue: (value) => (typeof value === 'string' ? checkAll(split(value), entryFlaw) : fromArray(value, entryFlaw)),
    show: (entries) => entries.join(','),
  };
}

export function jsonArray(label: string, entryFlaw: EntryFlaw = anyEntry): Kind<readonly string[]> {
  const asArray = (source: string) =>
    refuseWhole('must be a JSON array, not a comma-separated list', `write ${JSON.stringify(split(source))}`);
  return {
    label: `JSON array of ${label}`,
    fromText: (source) => (source.startsWith('[') ? fromJson(source, entryFlaw) : asArray(source)),
    fromValue: (value) => (typeof value === 'string' ? asArray(value) : fromArray(value, entryFlaw)),
    show: (entries) => JSON.stringify(entries),
  };
}

function split(source: string): string[] {
  return source
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function fromJson(source: string, entryFlaw: EntryFlaw): Reading<readonly string[]> {
  try {
    return fromArray(JSON.parse(source), entryFlaw);
  } catch {
    return refuse(source, 'is not a JSON array');
  }
}

function fromArray(value: unknown, entryFlaw: EntryFlaw): Reading<readonly string[]> {
  if (!Array.isArray(value)) return refuse(value, 'is not a list of strings');
  const entries: string[] = [];
  for (const entry of value) {
    if (typeof entry !== 'string') return refuse(entry, 'is not a string; put quotes around it');
    entries.push(entry.trim());
  }
  return checkAll(entries, entryFlaw);
}

function checkAll(entries: readonly string[], entryFlaw: EntryFlaw): Reading<readonly string[]> {
  const flaws: SettingFlaw[] = [];
  for (const entry of entries) {
    const message = entryFlaw(entry);
    if (message !== null) flaws.push({ path: '', found: quote(entry), message });
  }
  return flaws.length === 0 ? accept(Object.freeze([...entries])) : { ok: false, flaws };
}
