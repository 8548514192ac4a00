// A cell that is about to be added, as the notebook around it asks for it: its place and its first text.
import { usualLanguage } from '../../cellLanguages.ts';
import { withOwnResult } from '../annotations/index.ts';
import type { NewCell, Notebook } from '../document/index.ts';
import type { Shape } from '../shape/index.ts';
import { placeBelow } from './variants.ts';

export function newCellIn({ cells }: Notebook, shape: Shape, wanted: NewCell): NewCell {
  const { language = usualLanguage, source, afterCellId } = wanted;
  const taken = new Set([...shape.cells.values()].flatMap(({ defines }) => defines));
  const text = withOwnResult(language, source ?? '', taken);
  return {
    ...wanted,
    ...(text === '' ? {} : { source: text }),
    ...(afterCellId
      ? {
          afterCellId: placeBelow(
            cells.map(({ id }) => id),
            shape,
            afterCellId,
          ),
        }
      : {}),
  };
}
