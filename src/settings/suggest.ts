// "Did you mean": the known name closest to a mistyped one, when it is close enough to be worth saying.

export function closest(name: string, known: Iterable<string>): string | null {
  let best: string | null = null;
  let bestDistance = Math.max(2, Math.floor(name.length / 5)) + 1;
  for (const candidate of known) {
    const distance = editDistance(name, candidate, bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

export function didYouMean(name: string, known: Iterable<string>): string {
  const suggestion = closest(name, known);
  return suggestion === null ? '' : `; did you mean ${suggestion}?`;
}

/** Levenshtein distance with swapped neighbours counted once, given up as soon as it reaches `limit`. */
function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) >= limit) return limit;
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const replaced = (last[column - 1] ?? limit) + (isSame ? 0 : 1);
      const swapped = isSwapped ? (beforeLast[column - 2] ?? limit) + 1 : limit;
      current.push(Math.min(replaced, swapped, (last[column] ?? limit) + 1, (current[column - 1] ?? limit) + 1));
    }
    if (Math.min(...current) >= limit) return limit;
    beforeLast = last;
    last = current;
  }
  return last[right.length] ?? limit;
}
