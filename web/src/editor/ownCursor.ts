// Tells others where the cursor stands: in the text that they have. While something is typed that the server has not taken yet, its
// place would be one in a text that nobody else sees, so it waits for the answer.
import type { Extension } from '@codemirror/state';
import { type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import type { NotebookSession } from '../notebook/session.ts';

const pauseMilliseconds = 100;

export function ownCursor(session: NotebookSession, cellId: string): Extension {
  // Whoever may only look is not heard.
  return session.isReadOnly ? [] : ViewPlugin.define((view) => teller(session, cellId, view));
}

function teller({ store, link }: NotebookSession, cellId: string, view: EditorView) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let told: { anchor: number; head: number } | null = null;

  function tell(): void {
    timer = undefined;
    const { drafts, presence } = store.get();
    if (drafts.has(cellId) || presence.principals.length < 2) return;
    const { anchor, head } = view.state.selection.main;
    if (told?.anchor === anchor && told.head === head) return;
    if (link.send('cursor_move', { cell_id: cellId, anchor, head })) told = { anchor, head };
  }

  function tellSoon(): void {
    timer ??= setTimeout(tell, pauseMilliseconds);
  }

  let before = store.get();
  const stop = store.subscribe(() => {
    const now = store.get();
    if (now.presence !== before.presence || now.connection !== before.connection) told = null;
    if (told === null || now.drafts !== before.drafts) tellSoon();
    before = now;
  });
  tellSoon();
  return {
    update({ selectionSet, docChanged }: ViewUpdate) {
      if (selectionSet || docChanged) tellSoon();
    },
    destroy() {
      clearTimeout(timer);
      stop();
      if (told) link.send('cursor_move', { cell_id: null, anchor: 0, head: 0 });
    },
  };
}
