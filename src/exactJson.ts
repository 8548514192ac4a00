// JSON whose numbers print as they were written: 9007199254740993 and 1.0 are not what a JavaScript number makes of them.

// Both are in Node and not yet in the compiler's own library.
declare global {
  interface JSON {
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
    parse(
      text: string,
      reviver: (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
  }
}

/** Numbers that JavaScript cannot hold as written become objects that `JSON.stringify` prints as written. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? JSON.rawJSON(source) : value,
  );
}

/** For schemas of what is used here rather than passed on: an ordinary number again. */
export const plainNumber = (value: unknown): unknown => (JSON.isRawJSON(value) ? Number(JSON.stringify(value)) : value);

const longNumber = /[:[,\s]-?\d{16,}[,}\]\s]/;

/** For a browser: whole numbers that it would round keep their digits. One that knows no way to keep them rounds. */
export function parseDigits(text: string): unknown {
  // A text without any, as good as all are, is read at full speed.
  if (!longNumber.test(text) || typeof JSON.rawJSON !== 'function') return JSON.parse(text);
  return JSON.parse(text, (_key, value, { source = '' }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? JSON.rawJSON(source) : value,
  );
}

/** Whether it is a number that `JSON.stringify` writes as it was written. */
export const isExactNumber = (value: unknown): boolean => typeof JSON.isRawJSON === 'function' && JSON.isRawJSON(value);
