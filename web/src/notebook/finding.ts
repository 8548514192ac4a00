// Places of a text, or of a regular expression, in the source of a cell.

export interface Hit {
  readonly at: number;
  readonly length: number;
  readonly line: number;
  readonly text: string;
}

export interface Wanted {
  readonly what: string;
  readonly isExact: boolean;
  readonly isPattern: boolean;
}

/** A pattern that JavaScript understands, over lines; or why it is none. */
export function patternOf({ what, isExact, isPattern }: Wanted): RegExp | { readonly problem: string } {
  const text = isPattern ? what : what.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  try {
    return new RegExp(text, isExact ? 'gm' : 'gim');
  } catch (error) {
    const reason = error instanceof Error ? error.message.split(': ').at(-1) : String(error);
    return { problem: `Not a regular expression: ${reason}.` };
  }
}

/** Matches that hold nothing are left out. */
export function find(source: string, pattern: RegExp): Hit[] {
  const hits: Hit[] = [];
  let [line, start] = [1, 0];
  for (const { index, 0: found } of source.matchAll(pattern)) {
    if (found === '') continue;
    for (let next = source.indexOf('\n', start); next !== -1 && next < index; next = source.indexOf('\n', start)) {
      line += 1;
      start = next + 1;
    }
    const end = source.indexOf('\n', index);
    hits.push({
      at: index,
      length: found.length,
      line,
      text: source
        .slice(start, end === -1 ? undefined : end)
        .trim()
        .slice(0, 160),
    });
  }
  return hits;
}

/** One of the hits of a notebook: the `nth` of its cell, so that what others write in another cell does not move it. */
export interface Spot {
  readonly id: string;
  readonly nth: number;
}

type OfCell = { readonly id: string };

export const spotAt = (hits: readonly OfCell[], place: number): Spot | null => {
  const hit = hits[place];
  return hit ? { id: hit.id, nth: place - hits.findIndex(({ id }) => id === hit.id) } : null;
};

/** Where it stands now; behind the last of its cell comes the first of the next one. `order`: of the cells. */
export function placeOf(hits: readonly OfCell[], spot: Spot | null, order: readonly string[]): number {
  if (spot === null || hits.length === 0) return 0;
  const cell = order.indexOf(spot.id);
  const above = hits.filter(({ id }) => order.indexOf(id) < cell).length;
  const own = hits.filter(({ id }) => id === spot.id).length;
  return (above + Math.min(spot.nth, own)) % hits.length;
}

/** `at`: only the place that begins there. In a pattern `$1` and `$<name>` stand for what its groups found. */
export function replaced(source: string, pattern: RegExp, by: string, isPattern: boolean, at?: number): string {
  return source.replace(pattern, (...found: unknown[]) => {
    const groups = typeof found.at(-1) === 'object' ? (found.pop() as Readonly<Record<string, string>>) : {};
    const [whole, ...parts] = found.slice(0, -2) as string[];
    const index = Number(found.at(-2));
    if (whole === undefined || whole === '' || (at !== undefined && index !== at)) return whole ?? '';
    if (!isPattern) return by;
    return by.replace(/\$(?:\$|&|(\d{1,2})|<([^>]+)>)/g, (sign, number?: string, name?: string) => {
      if (sign === '$$') return '$';
      if (sign === '$&') return whole;
      if (number === undefined) return groups[name ?? ''] ?? '';
      // `$20` is the second group and a 0 where there are no twenty.
      const digits = Number(number) <= parts.length ? number : number.slice(0, 1);
      return (parts[Number(digits) - 1] ?? '') + number.slice(digits.length);
    });
  });
}

/** One place replaced; `added`: how many hits are in what was put there. */
export function replacedOne(
  source: string,
  pattern: RegExp,
  by: string,
  isPattern: boolean,
  { at, length }: Pick<Hit, 'at' | 'length'>,
): { readonly text: string; readonly added: number } {
  const text = replaced(source, pattern, by, isPattern, at);
  const end = at + length + text.length - source.length;
  return { text, added: find(text, pattern).filter((hit) => hit.at >= at && hit.at < end).length };
}
