// An edit of a cell's text, where others may have written its file: what nobody here has seen is not overwritten.
import { refusals } from '../../errors/index.ts';
import { cellOf, type Notebook, setCellSource, withSourceOnDisk } from '../document/index.ts';
import type { SoftLocks } from './softLocks.ts';

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

/** Texts of several cells: whoever may not write one of them writes none, and what was written is taken back when one fails. */
export async function writeTexts(
  {
    notebook: told,
    locks,
    author,
  }: { readonly notebook: Notebook; readonly locks: SoftLocks; readonly author: string },
  texts: ReadonlyMap<string, string>,
): Promise<Notebook> {
  for (const [cellId, source] of texts) {
    const { refusal } = await seeSource(told, cellId, { source, force: false });
    if (refusal) throw refusal;
  }
  for (const cellId of texts.keys()) {
    const held = locks.take(cellId, author, false);
    if (held) throw refusals.cellLocked(cellId, held.heldBy);
  }
  let notebook = told;
  const written: string[] = [];
  try {
    for (const [cellId, source] of texts) {
      notebook = await setCellSource(notebook, cellId, source, author);
      written.push(cellId);
    }
    return notebook;
  } catch (error) {
    for (const cellId of written) notebook = await setCellSource(notebook, cellId, cellOf(told, cellId).source, author);
    throw error;
  }
}
