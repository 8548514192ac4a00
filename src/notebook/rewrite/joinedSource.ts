// Sources of several cells as one: in their order, a blank line between them, and what their annotations say at the top.
import { refusals } from '../../errors/index.ts';
import { type Directive, leadingBlock } from '../annotations/index.ts';
import type { Cell } from '../document/index.ts';

/** A cell may have many of these, told apart by their first word. */
const repeated = new Set(['env', 'mount', 'table', 'write_table', 'output_dir', 'fetch', 'dataset']);
/** What they say holds for a cell alone. */
const single = new Set(['loop', 'loop_until', 'variant', 'per_variant']);

export function joinedSource([first, ...others]: readonly Cell[], nameOf: (cell: Cell) => string): string {
  if (!first) return '';
  const cells = [first, ...others];
  for (const cell of cells) assertPlain(cell, nameOf(cell));
  const said = [...leadingBlock(first.source).directives];
  const ids = new Set(cells.map(({ id }) => id));
  const added = others.flatMap((cell) =>
    leadingBlock(cell.source).directives.flatMap((directive) => {
      const line = lineFor(directive, said, ids, `${nameOf(first)} and ${nameOf(cell)}`);
      if (line === null) return [];
      said.push({ ...directive, line: 0 });
      return [line];
    }),
  );
  const bodies = [withLines(first.source, added), ...others.map(({ source }) => withoutDirectives(source))];
  return bodies
    .map((body) => body.replace(/^\n+/, '').trimEnd())
    .filter((body) => body !== '')
    .join('\n\n');
}

function assertPlain({ source }: Cell, name: string): void {
  const { directives } = leadingBlock(source);
  const alone = directives.find((directive) => single.has(directive.name));
  if (alone) throw refusals.cellsNotJoined(`${name} has @${alone.name}, which is said of one cell alone`);
  const [magic] = /^%%\w+/m.exec(withoutDirectives(source)) ?? [];
  if (magic) throw refusals.cellsNotJoined(`${name} has ${magic}, which stands for the whole of a cell`);
  if (/^from __future__ /m.test(source))
    throw refusals.cellsNotJoined(`${name} imports from __future__, which must be the first of a cell`);
}

/** The line that a directive of another cell becomes; null when it says nothing new. */
function lineFor(
  { name, value }: Directive,
  said: readonly Directive[],
  joined: ReadonlySet<string>,
  both: string,
): string | null {
  if (name === 'after') return afterLine(value, said, joined);
  const isSame = (one: Directive): boolean =>
    one.name === name && (!repeated.has(name) || keyOf(one.value) === keyOf(value));
  const there = said.find(isSame);
  if (!there) return `# @${name} ${value}`.trimEnd();
  // What the first is called, both are.
  if (there.value === value || name === 'name') return null;
  const what = repeated.has(name) ? `@${name} ${keyOf(value)}` : `@${name}`;
  throw refusals.cellsNotJoined(`${both} contradict each other in ${what}: “${there.value}” and “${value}”`);
}

function afterLine(value: string, said: readonly Directive[], joined: ReadonlySet<string>): string | null {
  const known = new Set(said.filter((one) => one.name === 'after').flatMap((one) => one.value.split(/[\s,]+/)));
  const others = value.split(/[\s,]+/).filter((id) => id !== '' && !joined.has(id) && !known.has(id));
  if (others.length > 0 && known.size > 0)
    throw refusals.cellsNotJoined('Both cells say @after, and not of the same cells');
  return others.length === 0 ? null : `# @after ${others.join(' ')}`;
}

const keyOf = (value: string): string => value.split(/[\s=]/, 1)[0] ?? '';

/** Below the last directive, else first. */
function withLines(source: string, lines: readonly string[]): string {
  if (lines.length === 0) return source;
  const all = source.split('\n');
  return all.toSpliced(leadingBlock(source).directives.at(-1)?.line ?? 0, 0, ...lines).join('\n');
}

function withoutDirectives(source: string): string {
  const gone = new Set(leadingBlock(source).directives.map(({ line }) => line - 1));
  return source
    .split('\n')
    .filter((_, place) => !gone.has(place))
    .join('\n');
}
