// Reads a note that the service wrote itself, where others may have put something else in its place: a text that is long or nested
// deep takes a hundred times its size to read, and is refused before that.
import { isNestedBeyond } from '../nesting.ts';
import { readOwnFile } from './readPlainFile.ts';

/** As deep as what may be imported, with what is written around it. */
const deepest = 600;

/** Rejects what is not there, no plain file, no JSON, too large or nested too deep. */
export async function readOwnJson(file: string, maxBytes?: number): Promise<unknown> {
  const text = String(await readOwnFile(file, maxBytes));
  if (isNestedBeyond(text, deepest)) throw new Error(`It is nested deeper than ${deepest} levels.`);
  return JSON.parse(text);
}
