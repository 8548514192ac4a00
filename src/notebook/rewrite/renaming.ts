// Where cells mean a name, and the same name written otherwise in all of them: looked at first, and made while the notebook is as it
// was then.
import { EngineRefused, type ExplicitNames } from '../../engine/index.ts';
import { refusals } from '../../errors/index.ts';
import type { NamePlace, RenamePreviewBody } from '../../protocol/index.ts';
import { isIdentifier } from '../annotations/index.ts';
import type { Notebook } from '../document/index.ts';
import type { LiveNotebook } from '../live/index.ts';
import type { Shape } from '../shape/index.ts';
import { namedCells } from './namedCells.ts';
import { carriedOut, changesIn, type Order, tokenOf } from './preview.ts';

type Looked = Pick<LiveNotebook, 'notebook' | 'shape'>;

/** In the order of the notebook. */
export async function namePlaces(
  names: ExplicitNames,
  { notebook, shape }: Looked,
  name: string,
): Promise<NamePlace[]> {
  if (!isIdentifier(name)) return [];
  const { cells } = notebook();
  const found = await names.places(name, namedCells(notebook(), shape()));
  return found.flatMap(({ cell: place, line, binds }) => {
    const cell = cells[place];
    if (!cell) return [];
    const text = (cell.source.split('\n')[line - 1] ?? '').trim().slice(0, 160);
    return [{ cell_id: cell.id, line, text, defines: binds }];
  });
}

export const previewRename = (names: ExplicitNames, { notebook, shape }: Looked, name: string, to: string) =>
  lookedAt(names, notebook(), shape(), name, to);

/** Gives what was changed. Refused when anything is another than it was under `token`. */
export async function renameName(
  names: ExplicitNames,
  live: Pick<LiveNotebook, 'change'>,
  order: Order & { readonly to: string },
): Promise<RenamePreviewBody> {
  return carriedOut(live, order, (notebook, shape) => lookedAt(names, notebook, shape, order.name, order.to));
}

async function lookedAt(
  names: ExplicitNames,
  notebook: Notebook,
  shape: Shape,
  name: string,
  to: string,
): Promise<RenamePreviewBody> {
  const changes = await names.rename(name, to, namedCells(notebook, shape, name)).catch((error: unknown) => {
    throw error instanceof EngineRefused ? refusals.nameNotChanged(name, error.reason) : error;
  });
  if (changes.length === 0) throw refusals.nameNotChanged(name, `No cell has ${name}.`);
  return { name, to, changes: changesIn(notebook, name, changes), token: tokenOf(notebook, name) };
}
