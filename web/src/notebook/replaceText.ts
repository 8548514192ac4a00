// The text of a cell as a whole, as if it had been typed.
import type { NotebookSession } from './session.ts';

export function replaceText(
  session: Pick<NotebookSession, 'store' | 'undo'> & { link: Pick<NotebookSession['link'], 'flush'> },
  cellId: string,
  text: string,
): void {
  session.undo.touched(cellId);
  session.store.send({ kind: 'typed', cellId, text });
  session.link.flush(cellId);
}
