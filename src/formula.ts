// What a LaTeX output is: one formula, with or without its signs, or text that holds some.

/** The formula without the signs around it; null for text with formulas in it. */
export function formulaOf(source: string): string | null {
  const [, bare] = /^\s*(?:\$\$?|\\\[|\\\()([\s\S]*?)(?:\$\$?|\\\]|\\\))\s*$/.exec(source) ?? [];
  if (bare !== undefined && !/(?<!\\)\$/.test(bare)) return bare;
  return /(?<!\\)\$/.test(source) ? null : source;
}
