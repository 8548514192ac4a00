// Two texts line by line: what stays, what goes, what comes. What goes stands before what comes in its place.

export interface DiffLine {
  readonly kind: 'same' | 'gone' | 'new';
  readonly text: string;
}

/** Beyond this the table of common lines is not worth its memory: all of one goes, all of the other comes. */
const mostPairs = 4_000_000;

export function lineDiff(before: string, after: string): DiffLine[] {
  const [old, next] = [linesOf(before), linesOf(after)];
  const start = common(old, next);
  const end = common(old.slice(start).reverse(), next.slice(start).reverse());
  const middle = between(old.slice(start, old.length - end), next.slice(start, next.length - end));
  return [...same(old.slice(0, start)), ...middle, ...same(old.slice(old.length - end))];
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

const same = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ kind: 'same', text }));

function common(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < a.length && count < b.length && a[count] === b[count]) count += 1;
  return count;
}

function between(old: readonly string[], next: readonly string[]): DiffLine[] {
  const gone = old.map((text): DiffLine => ({ kind: 'gone', text }));
  const come = next.map((text): DiffLine => ({ kind: 'new', text }));
  if (old.length * next.length > mostPairs || old.length === 0 || next.length === 0) return [...gone, ...come];
  const width = next.length + 1;
  /** The most lines that both have from these places on. */
  const shared = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number): number => shared[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = next.length - 1; j >= 0; j -= 1)
      shared[i * width + j] = old[i] === next[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < next.length) {
    if (i < old.length && j < next.length && old[i] === next[j]) {
      lines.push({ kind: 'same', text: old[i] ?? '' });
      [i, j] = [i + 1, j + 1];
    } else if (i < old.length && (j === next.length || at(i + 1, j) >= at(i, j + 1))) lines.push(gone[i++] as DiffLine);
    else lines.push(come[j++] as DiffLine);
  }
  return lines;
}
