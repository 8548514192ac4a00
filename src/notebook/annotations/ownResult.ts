// What a new SQL cell or prompt calls its result: without a word of its own it is `result`, and a second one of that name
// would hide the first.
import { type CellLanguage, kindOf } from '../../cellLanguages.ts';
import { setDirective } from './edit.ts';
import { defaultResult } from './graphNames.ts';
import { parseAnnotations } from './parse.ts';

/** The text that a new cell begins with; `taken`: names that cells of the notebook define. */
export function withOwnResult(language: CellLanguage, source: string, taken: ReadonlySet<string>): string {
  if (kindOf(language) !== 'request') return source;
  const { name, variant } = parseAnnotations(source);
  // Variants of one thing give the same name.
  if (name !== null || variant !== null || !taken.has(defaultResult)) return source;
  let number = 2;
  while (taken.has(`${defaultResult}_${number}`)) number += 1;
  return setDirective(source, 'name', `${defaultResult}_${number}`);
}
