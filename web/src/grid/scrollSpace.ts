// How far a scroller stands in a table that may be taller than browsers let an element be. Near both ends a pixel of the bar
// is a pixel of the table; between them the bar is scaled. Small steps go pixel by pixel everywhere.

/** Below the limit of every browser, also on a page that is zoomed in. */
const tallest = 6_000_000;
/** At each end, where nothing is scaled. */
const edge = 100_000;

export interface ScrollSpace {
  /** What the element is tall. */
  readonly height: number;
  /** What the table would be tall. */
  readonly whole: number;
  /** The farthest that the bar goes. */
  readonly barEnd: number;
}

/** Where the bar stands, and what it shows there. */
export interface Standing {
  readonly bar: number;
  readonly top: number;
}

export const elementHeight = (whole: number): number => Math.min(whole, tallest);

const tableEnd = ({ whole, height, barEnd }: ScrollSpace): number => barEnd + whole - height;
const scaleOf = (space: ScrollSpace): number => (tableEnd(space) - 2 * edge) / (space.barEnd - 2 * edge);
const clamp = (value: number, most: number): number => Math.min(Math.max(0, value), Math.max(0, most));

/** What a bar that was put somewhere shows. */
export function topAt(space: ScrollSpace, bar: number): number {
  if (space.whole === space.height || bar <= edge) return clamp(bar, tableEnd(space));
  if (bar >= space.barEnd - edge) return clamp(tableEnd(space) - (space.barEnd - bar), tableEnd(space));
  return Math.round(edge + (bar - edge) * scaleOf(space));
}

/** Where the bar belongs while the table shows this. */
export function barAt(space: ScrollSpace, wanted: number): number {
  const top = clamp(wanted, tableEnd(space));
  if (space.whole === space.height || top <= edge) return top;
  if (top >= tableEnd(space) - edge) return space.barEnd - (tableEnd(space) - top);
  return edge + (top - edge) / scaleOf(space);
}

/** A bar that moved by little was turned by a wheel or a key; one that moved by much was dragged. */
export function moved(space: ScrollSpace, before: Standing, bar: number, little: number): Standing {
  const isEnd = bar <= 0 || bar >= space.barEnd;
  const isStep = Math.abs(bar - before.bar) <= little && !isEnd;
  return { bar, top: isStep ? clamp(before.top + bar - before.bar, tableEnd(space)) : topAt(space, bar) };
}
