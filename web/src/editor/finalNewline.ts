// A source that ends its last line, as files do, is shown without the empty line that an editor would make of it.

export interface ShownText {
  /** The text as it is shown. */
  readonly shown: (source: string) => string;
  /** What a shown text is stored as. */
  readonly stored: (text: string) => string;
}

export const withoutFinalNewline = (source: string): string => (source.endsWith('\n') ? source.slice(0, -1) : source);

/** For as long as somebody edits it, a source keeps the ending that it had. */
export function shownText(source: string): ShownText {
  return source.endsWith('\n')
    ? { shown: withoutFinalNewline, stored: (text) => `${text}\n` }
    : { shown: (now) => now, stored: (text) => text };
}
