// Whether an interpreter is what `requires-python` asks for: clauses such as `==3.13.*`, `>=3.11` and `~=3.12`, all of
// which must hold. What cannot be read fits everything: uv decides then.

export function pythonFits(requiresPython: string, version: string): boolean {
  const own = numbersOf(version);
  return requiresPython
    .split(',')
    .map((clause) => /^\s*(===|==|~=|!=|<=|>=|<|>)\s*(\d+(?:\.\d+)*)(\.\*)?/.exec(clause))
    .filter((clause) => clause !== null)
    .every(([, sign = '', text = '', anyBelow]) => {
      const wanted = numbersOf(text);
      const order = compare(own, wanted);
      const isBelow = compare(own.slice(0, wanted.length), wanted) === 0;
      switch (sign) {
        case '==':
        case '===':
          return anyBelow ? isBelow : order === 0;
        case '!=':
          return anyBelow ? !isBelow : order !== 0;
        case '~=':
          return order >= 0 && compare(own.slice(0, wanted.length - 1), wanted.slice(0, -1)) === 0;
        case '>=':
          return order >= 0;
        case '<=':
          return order <= 0;
        case '>':
          return order > 0;
        default:
          return order < 0;
      }
    });
}

const numbersOf = (version: string): number[] => version.split('.').map(Number);

function compare(a: readonly number[], b: readonly number[]): number {
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
