// What a cell is called where people see it: on the page, in the terminal viewer and in what is exported.
import { type CellLanguage, kindOf } from './cellLanguages.ts';

interface Nameable {
  readonly source: string;
  readonly language: CellLanguage;
  readonly defines: readonly string[];
}

const nameLine = /^[ \t]*(?:#|--)[ \t]*@name[ \t]+(\S.*)$/m;

/** The name that a source gives its cell. */
export const givenName = (source: string): string | undefined => nameLine.exec(source)?.[1]?.trim();

/** Its `@name`, else the first name that it defines, rather one that it makes than one that it imports; empty if none. */
export function cellName({ source, language, defines }: Nameable): string {
  const named = givenName(source);
  if (named) return named;
  if (kindOf(language) === 'text') return heading(source) ?? 'note';
  const names = defines.filter((name) => !name.startsWith('_'));
  return names.find((name) => !isImported(source, name)) ?? names[0] ?? '';
}

/** The same where a name is needed: a cell without one is called after its place among all cells, counted from 0. */
export const cellLabel = (cell: Nameable, place: number): string => cellName(cell) || `cell ${place + 1}`;

const heading = (source: string): string | undefined => /^#{1,6}\s+(.+)$/m.exec(source)?.[1]?.trim();

/** An import to its end, which may be lines below where names stand in brackets. */
const importLines = /^[ \t]*(?:import|from)[ \t][^(\n]*(?:\([^)]*\)?)?/gm;

/** Whether the name is that of something the source imports, not of something it makes. */
export const isImported = (source: string, name: string): boolean =>
  source.match(importLines)?.some((line) => line.split(/[^\w]+/).includes(name)) ?? false;
