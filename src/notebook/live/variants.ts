// Variants of an open notebook: choosing one, and adding one as a copy of the active member.
import { refusals } from '../../errors/index.ts';
import { setDirective } from '../annotations/index.ts';
import { copyName } from '../dag/index.ts';
import { cellOf, setVariantGroup } from '../document/index.ts';
import type { Shape } from '../shape/index.ts';
import type { LiveNotebook } from './live.ts';

/** An unknown name is stored and diagnosed; the first member stays active until it exists. A group needs a member. */
export function chooseVariant(
  live: LiveNotebook,
  group: string,
  choice: { active?: string; mode?: 'switch' | 'sweep' },
): Promise<void> {
  return live.change((notebook) => {
    if (!live.shape().variants.some((one) => one.group === group)) throw refusals.variantGroupNotFound(group);
    return setVariantGroup(notebook, group, choice);
  });
}

/** Where a cell goes that shall stand below this one: below a variant is below its group, whose members stay together. */
export function placeBelow(order: readonly string[], shape: Shape, cellId: string): string {
  const groupOf = (id: string | undefined): string | null =>
    (id === undefined ? undefined : shape.cells.get(id)?.variantGroup) ?? null;
  const group = groupOf(cellId);
  let place = order.indexOf(cellId);
  while (group !== null && place !== -1 && groupOf(order[place + 1]) === group) place += 1;
  return order[place] ?? cellId;
}

/** The copy stands after the last member of its group and becomes the active one. */
export async function addVariant(
  live: LiveNotebook,
  group: string,
  author: string,
): Promise<{ name: string; cellId: string }> {
  live.assertFree('edit');
  const found = live.shape().variants.find((one) => one.group === group);
  if (!found) throw refusals.variantGroupNotFound(group);
  const name = copyName(found);
  const { source, language } = cellOf(live.notebook(), found.activeCellId);
  const cellId = await live.addCell({
    language,
    source: setDirective(source, 'variant', `${group} ${name}`),
    afterCellId: found.members.at(-1)?.cellId ?? null,
    author,
  });
  if (found.mode === 'switch') await chooseVariant(live, group, { active: name });
  return { name, cellId };
}
