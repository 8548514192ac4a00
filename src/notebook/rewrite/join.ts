// Cells that only work as one become one: the first of them, with the sources of all.

import { isDeepStrictEqual } from 'node:util';
import { kindOf } from '../../cellLanguages.ts';
import { refusals } from '../../errors/index.ts';
import { type Cell, type Notebook, reorderCells, setCellSource } from '../document/index.ts';
import { type LiveNotebook, writeTexts } from '../live/index.ts';
import type { Shape } from '../shape/index.ts';
import { joinedSource } from './joinedSource.ts';
import { orderWithJoined } from './joinPlace.ts';

export interface Joined {
  /** The cell that is left. */
  readonly cellId: string;
  readonly removed: readonly string[];
  /** What there was before: the text of that cell, and all cells. */
  readonly before: { readonly source: string; readonly order: readonly string[] };
}

interface JoinPlan extends Joined {
  readonly source: string;
  readonly order: readonly string[];
}

/** One edit: all of it happens, or nothing. */
export async function joinCells(
  live: Pick<LiveNotebook, 'change'>,
  { cellIds, author }: { readonly cellIds: readonly string[]; readonly author: string },
): Promise<Joined> {
  let made: Joined | undefined;
  await live.change(async (notebook, { shape, locks, remove }) => {
    const plan = planJoin(notebook, shape, cellIds);
    const { cellId, removed, before, source, order } = plan;
    let edited = await writeTexts({ notebook, locks, author }, new Map([[cellId, source]]));
    try {
      for (const id of removed) edited = (await remove(edited, id)).notebook;
    } catch (error) {
      await setCellSource(edited, cellId, before.source, author);
      throw error;
    }
    made = { cellId, removed, before };
    const stays = edited.cells.every(({ id }, place) => id === order[place]);
    return stays ? edited : reorderCells(edited, order);
  });
  if (!made) throw new Error('The cells were joined without a plan.');
  return made;
}

export function planJoin({ cells }: Pick<Notebook, 'cells'>, shape: Shape, cellIds: readonly string[]): JoinPlan {
  const wanted = new Set(cellIds);
  const unknown = [...wanted].filter((id) => !cells.some((cell) => cell.id === id));
  if (unknown.length > 0) throw refusals.noSuchCells(unknown);
  const joined = cells.filter(({ id }) => wanted.has(id));
  const [first, ...others] = joined;
  if (!first || others.length === 0) throw refusals.cellsNotJoined('Joining takes two cells or more');
  const nameOf = ({ id }: Pick<Cell, 'id'>): string => `cell ${cells.findIndex((cell) => cell.id === id) + 1}`;
  for (const other of others) assertAlike(first, other, nameOf(first), nameOf(other));
  assertUnnamed(cells, shape, others, nameOf);
  const order = cells.map(({ id }) => id);
  return {
    cellId: first.id,
    removed: others.map(({ id }) => id),
    before: { source: first.source, order },
    source: joinedSource(joined, nameOf),
    order: orderWithJoined(
      order,
      joined.map(({ id }) => id),
      shape,
      (id) => nameOf({ id }),
    ),
  };
}

/** What is set of a cell beside its text must hold for both, or of the first alone. */
function assertAlike(first: Cell, other: Cell, one: string, two: string): void {
  if (first.language !== other.language) throw refusals.cellsNotJoined(`${one} and ${two} are of different languages`);
  if (!['code', 'text'].includes(kindOf(first.language)))
    throw refusals.cellsNotJoined(`${one} is a ${first.language} cell, which stands alone`);
  for (const key of ['worker', 'timeout', 'env', 'mounts'] as const) {
    const isSet = other[key] !== null && Object.keys(Object(other[key])).length > 0;
    const isValue = typeof other[key] === 'string' || typeof other[key] === 'number';
    if ((isSet || isValue) && !isDeepStrictEqual(first[key], other[key]))
      throw refusals.cellsNotJoined(`${one} and ${two} contradict each other in their ${key}`);
  }
  if (other.testSource !== '')
    throw refusals.cellsNotJoined(`${two} has tests of its own; move them to ${one} and remove them there`);
}

/** Nobody else may speak of a cell that goes. */
function assertUnnamed(
  cells: readonly Cell[],
  shape: Shape,
  gone: readonly Cell[],
  nameOf: (cell: Cell) => string,
): void {
  for (const cell of cells) {
    const directives = shape.cells.get(cell.id)?.directives;
    const named = gone.find(({ id }) => directives?.after.includes(id) || directives?.loop?.startFromCell === id);
    if (named && named !== cell)
      throw refusals.cellsNotJoined(`The annotations of ${nameOf(cell)} name ${nameOf(named)}, which would be gone`);
  }
}
