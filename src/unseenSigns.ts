// Signs that nobody sees, in what becomes a file, an address or a heading: they turn round what stands beside them ("gpj.exe"), make
// two names look like one, or break a line. Names and paths that hold one are refused; what lies there already can still be read.

/** Two that emoji and the scripts of Persia and India need, where they stand between such signs. */
const joiners = /(?<=[[\p{L}\p{M}\p{So}\p{Sk}]--\p{ASCII}])[\u200c\u200d](?=[[\p{L}\p{M}\p{So}\p{Sk}]--\p{ASCII}])/gv;
const unseen = /[[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]--\p{Variation_Selector}]/v;

/** The first of them, as people look it up (`U+202E`). */
export function unseenSign(text: string): string | undefined {
  const [sign] = unseen.exec(text.replaceAll(joiners, '')) ?? [];
  const code = sign?.codePointAt(0);
  return code === undefined ? undefined : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
