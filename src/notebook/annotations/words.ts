// Small words of the annotation grammar, as Python reads them.

/** Python's own test: keywords count as identifiers. */
export function isIdentifier(text: string): boolean {
  return /^[_\p{XIDS}]\p{XIDC}*$/u.test(text);
}

/** Values are split at white space; there is no quoting. */
export function tokensOf(value: string): string[] {
  return value.split(/\s+/).filter((token) => token !== '');
}

export function parseInteger(text: string): number | null {
  const number = parseBigInteger(text);
  return number === null || !Number.isSafeInteger(Number(number)) ? null : Number(number);
}

export function parseBigInteger(text: string): bigint | null {
  return /^[+-]?\d+(?:_\d+)*$/.test(text) ? BigInt(text.replace(/^\+|_/g, '')) : null;
}

const decimal = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/;

/** A finite decimal number. */
export function parseNumber(text: string): number | null {
  const number = decimal.test(text) ? Number(text.replaceAll('_', '')) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}

/** `key=value` with neither side empty. */
export function keyAndValue(token: string): [key: string, value: string] | null {
  const at = token.indexOf('=');
  return at > 0 && at < token.length - 1 ? [token.slice(0, at), token.slice(at + 1)] : null;
}
