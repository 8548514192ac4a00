// Small pages without scripts: text is escaped unless it is markup made here.
import { escapeMarkup } from '../../escapeMarkup.ts';

export interface Markup {
  readonly markup: string;
}

type Piece = Markup | string | number | null | undefined | false | readonly Piece[];

function write(piece: Piece): string {
  if (piece === null || piece === undefined || piece === false) return '';
  if (typeof piece === 'string' || typeof piece === 'number') return escapeMarkup(String(piece));
  return 'markup' in piece ? piece.markup : piece.map(write).join('');
}

export const html = (texts: TemplateStringsArray, ...pieces: readonly Piece[]): Markup => ({
  markup: texts.map((text, index) => text + write(pieces[index])).join(''),
});

/** JSON that can stand in a page without ending its element. */
export const jsonMarkup = (value: unknown): Markup => ({
  markup: JSON.stringify(value, null, 2).replaceAll('<', '\\u003c'),
});
