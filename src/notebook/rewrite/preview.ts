// What a change of a name would make of the cells, as it is looked at first; and the same carried out, while every cell is as it was
// when somebody looked.
import { createHash } from 'node:crypto';
import type { NamedChange } from '../../engine/index.ts';
import { refusals } from '../../errors/index.ts';
import type { ExplicitPlanRecord, ExplicitPreviewBody } from '../../protocol/index.ts';
import type { Notebook } from '../document/index.ts';
import { renamedIn } from '../languages/index.ts';
import { type LiveNotebook, writeTexts } from '../live/index.ts';
import type { Shape } from '../shape/index.ts';

export interface Order {
  readonly name: string;
  /** What was looked at. */
  readonly token: string;
  readonly author: string;
}

/** Looks once more and writes what it finds. Refused when anything is another than it was under the token. */
export async function carriedOut<Preview extends Pick<ExplicitPlanRecord, 'changes'>>(
  live: Pick<LiveNotebook, 'change'>,
  { name, token, author }: Order,
  compose: (notebook: Notebook, shape: Shape) => Promise<Preview>,
): Promise<Preview> {
  let made: Preview | undefined;
  await live.change(async (notebook, { shape, locks }) => {
    if (tokenOf(notebook, name) !== token) throw refusals.previewOutdated();
    made = await compose(notebook, shape);
    const texts = new Map(made.changes.map(({ cell_id, after }) => [cell_id, after]));
    return writeTexts({ notebook, locks, author }, texts);
  });
  if (!made) throw new Error('The cells were rewritten without a plan.');
  return made;
}

/** What the cells say then, with the lines that differ. */
export const changesIn = (
  notebook: Notebook,
  name: string,
  changes: readonly NamedChange[],
): ExplicitPlanRecord['changes'] =>
  changes.flatMap(({ cell: place, source, reads, defines }) => {
    const cell = notebook.cells[place];
    if (!cell) return [];
    const after = source ?? renamedIn(notebook, cell, { name, reads: reads ?? name, defines: defines ?? name });
    return [{ cell_id: cell.id, before: cell.source, after, lines: changedLines(cell.source, after) }];
  });

export const tokenOf = ({ cells }: Pick<Notebook, 'cells'>, name: string): string =>
  createHash('sha256')
    .update(JSON.stringify([name, ...cells.map(({ id, source, testSource }) => [id, source, testSource])]))
    .digest('hex');

/** A name is replaced within its line; only a `# @name` may be a line more. */
function changedLines(before: string, after: string): ExplicitPreviewBody['changes'][number]['lines'] {
  const [was, is] = [before.split('\n'), after.split('\n')];
  const found: ExplicitPreviewBody['changes'][number]['lines'] = [];
  let added = 0;
  for (const [at, line] of is.entries()) {
    if (line === was[at - added]) continue;
    const isNew = is.length - was.length > added;
    found.push({ line: at + 1, before: isNew ? null : (was[at - added] ?? null), after: line });
    if (isNew) added += 1;
  }
  return found;
}
