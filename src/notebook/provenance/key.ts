// What a result is kept under: the hash of everything that it came from. Inputs enter by their content, not by how they
// were made, so a cell that is run again to the same bytes leaves everything below it valid. Comments and formatting are
// already gone from the source digest.
import { createHash } from 'node:crypto';

export interface KeyParts {
  readonly sourceDigest: string;
  /** Lock file, interpreter, worker and the variables of the environment that the cell reads. */
  readonly environmentHash: string;
  /** Each wired name with the digest of the bytes it stands for. */
  readonly inputs: ReadonlyMap<string, string>;
  /** What was found of what it reads from outside the notebook; null when it reads nothing there. */
  readonly outside: string | null;
}

export function provenanceKey({ sourceDigest, environmentHash, inputs, outside }: KeyParts): string {
  const hash = createHash('sha256');
  for (const [name, content] of [...inputs].sort(([a], [b]) => (a < b ? -1 : 1))) hash.update(`${name}=${content}\0`);
  if (outside !== null) hash.update(`outside=${outside}\0`);
  return hash.update(`source=${sourceDigest}\0environment=${environmentHash}`).digest('hex');
}

/** The key of one value of a result: a variable, a display, the console. */
export const labelledKey = (key: string, label: string): string =>
  createHash('sha256').update(`${key}:${label}`).digest('hex');
