// Whether an id may be given to a notebook that is brought in. Imports at the same time see each other: an id is taken before
// it is looked for among the notebooks that are there, and let go when its notebook is one of them.
import { discoverNotebooks } from '../document/index.ts';

const beingImported = new Set<string>();

/** Takes the id if no notebook below the root has it. `release` is called when the import is over, either way. */
export async function takeId(root: string, id: string): Promise<{ readonly isFree: boolean; release(): void }> {
  const place = `${root}\0${id}`;
  if (beingImported.has(place)) return { isFree: false, release() {} };
  beingImported.add(place);
  const release = (): void => void beingImported.delete(place);
  try {
    const known = await discoverNotebooks(root);
    return { isFree: !known.some(({ notebook_id }) => notebook_id === id), release };
  } catch (error) {
    release();
    throw error;
  }
}
