// LaTeX as MathML, which browsers draw with their own fonts: nothing else is loaded.
import katex from 'katex';

/** A formula may be made of others: what it becomes grows with the square of its length, and so does the time. */
const mostCharacters = 4_000;

export function drawMath(place: HTMLElement, source: string, isBlock: boolean): void {
  place.textContent = source;
  if (source.length > mostCharacters) return;
  const options = { output: 'mathml', displayMode: isBlock, throwOnError: false, trust: false, strict: false } as const;
  try {
    katex.render(source, place, options);
  } catch {
    place.textContent = source; // nested deeper than anybody writes
  }
}
