// The name under the cursor of whoever edits a cell.
import type { NotebookSession } from './session.ts';

/** Null where the cursor stands at no name, or in no editor. */
export function nameAtCursor({ editing, editors, view }: NotebookSession): string | null {
  const state = editing.state?.() ?? editors.get(view.get().selected ?? '');
  const word = state?.wordAt(state.selection.main.head);
  const text = word ? state?.sliceDoc(word.from, word.to) : undefined;
  return text !== undefined && /^[\p{L}][\p{L}\p{N}_]*$/u.test(text) ? text : null;
}
