// Shell-style patterns, wherever an operator writes one: `*`, `?`, `[…]`, `[!…]`, case-sensitive, over the whole name. One
// that a star has passed is never looked at again, so that no pattern takes longer than its length times that of the name.

type Part = '*' | ((char: string) => boolean);

const cache = new Map<string, readonly Part[]>();

export function matchesGlob(pattern: string, name: string): boolean {
  let parts = cache.get(pattern);
  if (!parts) {
    parts = partsOf(pattern);
    cache.set(pattern, parts);
  }
  let [at, place] = [0, 0];
  /** The last star, and how far it reaches. */
  let [star, reach] = [-1, 0];
  while (at < name.length) {
    const part = parts[place];
    if (part === '*') {
      [star, reach] = [place, at];
      place += 1;
    } else if (part?.(name.charAt(at))) {
      at += 1;
      place += 1;
    } else if (star >= 0) {
      reach += 1;
      [at, place] = [reach, star + 1];
    } else return false;
  }
  return parts.slice(place).every((part) => part === '*');
}

function partsOf(pattern: string): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern.charAt(at);
    const close = char === '[' ? pattern.indexOf(']', pattern.charAt(at + 1) === '!' ? at + 3 : at + 2) : -1;
    if (char === '*') parts.push('*');
    else if (char === '?') parts.push(() => true);
    // A bracket that nobody closes is one.
    else if (close < 0) parts.push((one) => one === char);
    else {
      parts.push(memberOf(pattern.slice(at + 1, close)));
      at = close;
    }
  }
  return parts;
}

function memberOf(body: string): (char: string) => boolean {
  const negated = body.startsWith('!');
  const members = negated ? body.slice(1) : body;
  const ranges: [string, string][] = [];
  for (let at = 0; at < members.length; at++) {
    const isRange = members.charAt(at + 1) === '-' && at + 2 < members.length;
    ranges.push([members.charAt(at), members.charAt(isRange ? at + 2 : at)]);
    if (isRange) at += 2;
  }
  return (char) => ranges.some(([from, to]) => from <= char && char <= to) !== negated;
}
