// An edit of a cell's text, where others may have written its file: what nobody here has seen is not overwritten.
import { refusals } from '../../errors/index.ts';
import { cellOf, type Notebook, withSourceOnDisk } from '../document/index.ts';

export interface SeenSource {
  /** With the text that lies on disk. */
  readonly notebook: Notebook;
  /** Why the edit is refused: the text as it is now is neither what its author changed nor what they send. */
  readonly refusal: Error | null;
}

/** `base`: the text that the author changed; left out, it is the one that everybody here was told of. */
export async function seeSource(
  told: Notebook,
  cellId: string,
  { source, base, force }: { readonly source: string; readonly base?: string | undefined; readonly force: boolean },
): Promise<SeenSource> {
  const changed = base ?? cellOf(told, cellId).source;
  const notebook = await withSourceOnDisk(told, cellId);
  const now = cellOf(notebook, cellId).source;
  const isFine = force || now === changed || now === source;
  return { notebook, refusal: isFine ? null : refusals.sourceChanged(cellId, now) };
}
