// Lines of a terminal: spans of text with a look. What users and their cells wrote is made plain first, so that nothing of
// it moves a cursor, paints the screen or turns the reading direction.
import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';

export type Colour = 'green' | 'red' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'gray' | `#${string}`;

export interface Span {
  readonly text: string;
  readonly colour?: Colour;
  readonly background?: Colour;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly inverse?: boolean;
}

export type Line = readonly Span[];

export const line = (text: string, style: Omit<Span, 'text'> = {}): Line => [{ text, ...style }];
export const noLine: Line = [{ text: ' ' }];

// Control characters but the end of a line, and the marks that turn the reading direction.
const unseen = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** One line without anything that a terminal would obey; what a carriage return wrote over is gone. */
function plainLine(text: string): string {
  const last = text.replace(/\r+$/, '').split('\r').at(-1) ?? '';
  return last.replaceAll('\t', '    ').replace(unseen, '');
}

export const plainLines = (text: string): string[] =>
  stripVTControlCharacters(text).replace(/\n$/, '').split('\n').map(plainLine);

export const plain = (text: string): string => plainLines(text).join(' ');

const segmenter = new Intl.Segmenter();

/** Exactly this many columns: cut with an ellipsis, or filled up. */
export function fit(text: string, width: number): string {
  const own = stringWidth(text);
  if (own <= width) return text + ' '.repeat(width - own);
  let [kept, used] = ['', 0];
  for (const { segment } of segmenter.segment(text)) {
    const more = stringWidth(segment);
    if (used + more > width - 1) break;
    kept += segment;
    used += more;
  }
  return `${kept}…${' '.repeat(Math.max(0, width - used - 1))}`;
}

export const widthOf = (text: string): number => stringWidth(text);

/** The window of a pane on its lines, `from` its first. */
export const windowOf = (lines: readonly Line[], from: number, height: number): readonly Line[] => {
  const first = Math.max(0, Math.min(from, lines.length - height));
  return lines.slice(first, first + height);
};
