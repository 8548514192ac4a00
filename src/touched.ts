// What a run touched beside its variables, in words: on the page, in the terminal viewer and in what is exported.
import type { CellEffects } from './protocol/index.ts';

/** As cells name it: those of their working folder without the folder. */
export const fileInWords = (file: string): string => file.replace(/^work\//, '');

/** `read 2 files, asked 1 host`; empty when it touched nothing. */
export function touchedInWords(effects: CellEffects): string {
  const { read, written, hosts, programs, clock, entropy, unwatched } = effects;
  const counted = (verb: string, count: number, noun: string): string[] =>
    count === 0 ? [] : [`${verb} ${count} ${noun}${count === 1 ? '' : 's'}`];
  return [
    ...counted('read', read.length, 'file'),
    ...(unwatched > 0 ? ['may have read more files'] : []),
    ...counted('wrote', written.length, 'file'),
    ...counted('asked', hosts.length, 'host'),
    ...counted('started', programs.length, 'program'),
    ...(clock ? ['read the clock'] : []),
    ...(entropy ? ['drew random numbers'] : []),
  ].join(', ');
}

const maxNamed = 12;

/** The same with names, one kind a line. */
export function touchedByName({ read, written, listed, hosts, programs, variables }: CellEffects): string[] {
  const named = (what: string, names: readonly string[]): string[] => {
    const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
    return names.length === 0 ? [] : [`${what}: ${names.slice(0, maxNamed).map(fileInWords).join(', ')}${more}`];
  };
  return [
    ...named('Read', read),
    ...named('Wrote', written),
    ...named('Listed', listed),
    ...named('Asked', hosts),
    ...named('Started', programs),
    ...named('Variables', variables),
  ];
}

/** With names, and what follows from it. */
export function touchedInDetail(effects: CellEffects): string {
  const { hosts, programs, clock, entropy, unwatched } = effects;
  const isRepeatable = !clock && !entropy && unwatched === 0 && hosts.length === 0 && programs.length === 0;
  return [
    ...touchedByName(effects),
    ...(isRepeatable ? [] : ['Run always runs it again, since a repeat may give something else.']),
  ].join('\n');
}
