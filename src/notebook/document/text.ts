// Text that can be stored: half a surrogate pair has no UTF-8 form, and writing it would silently change the text.
import { refusals } from '../../errors/index.ts';

export function noLoneSurrogates(text: string, label: string): string {
  if (!text.isWellFormed()) throw refusals.textNotUnicode(label);
  return text;
}
