// Another name for what a query or a prompt reads and defines. Only the places that mean the name are replaced.
import { readSql, tokensOf } from '../../sql/index.ts';
import { bodyOf, leadingBlock, setDirective } from '../annotations/index.ts';
import type { Cell, Notebook } from '../document/index.ts';
import { place, reference } from './prompt.ts';
import { dialectIn } from './sql.ts';

export interface Rename {
  readonly name: string;
  /** What the cell reads under this name is called so from now on. */
  readonly reads: string;
  /** And what it defines. */
  readonly defines: string;
}

export function renamedIn(notebook: Notebook, cell: Cell, { name, reads, defines }: Rename): string {
  const { source, language } = cell;
  const start = source.length - source.slice(blockLength(source)).trimStart().length;
  const body = bodyOf(source, language);
  const places = language === 'sql' ? inQuery(notebook, cell, body, name) : inTemplate(body, name);
  const renamed = places.reduceRight((text, at) => text.slice(0, at) + reads + text.slice(at + name.length), body);
  const edited = source.slice(0, start) + renamed + source.slice(start + body.length);
  return defines === name ? edited : setDirective(edited, 'name', defines);
}

const blockLength = (source: string): number =>
  leadingBlock(source).lines.reduce((length, line) => length + line.length, 0);

function inQuery(notebook: Notebook, cell: Cell, body: string, name: string): number[] {
  const dialect = dialectIn(notebook, cell);
  if (!readSql(body, dialect).references.includes(name)) return [];
  return tokensOf(body, dialect)
    .filter(({ kind, text }) => kind === 'parameter' && text === `:${name}`)
    .map(({ start }) => start + 1);
}

const inTemplate = (body: string, name: string): number[] =>
  [...body.matchAll(place)].flatMap(({ 0: whole, 1: inside = '', index }) =>
    reference.exec(inside)?.[1] === name ? [index + whole.indexOf(name)] : [],
  );
