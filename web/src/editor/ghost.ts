// What a model would go on with, in grey behind the cursor: asked for when somebody pauses, taken by Tab, gone with Escape or the
// next key that says otherwise. Off until the person switches it on.

import { closeCompletion, selectedCompletion } from '@codemirror/autocomplete';
import { Annotation, type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, ViewPlugin, type ViewUpdate, WidgetType } from '@codemirror/view';
import type { CellLanguage } from '../../../src/cellLanguages.ts';
import { kindOf } from '../../../src/cellLanguages.ts';
import { askAssist } from '../api/assist.ts';
import { messageOf } from '../api/index.ts';
import type { NotebookSession } from '../notebook/session.ts';
import { stopTypingModel, typingModel } from '../notebook/typingHelp.ts';
import { announce } from '../ui/index.ts';

interface Ghost {
  readonly at: number;
  readonly text: string;
  readonly model: string;
}

const pauseMilliseconds = 400;

/** The model that a change of the text is from. */
export const assistedBy = Annotation.define<string>();

const setGhost = StateEffect.define<Ghost | null>();

class GhostText extends WidgetType {
  readonly text: string;
  constructor(text: string) {
    super();
    this.text = text;
  }
  override eq(other: GhostText): boolean {
    return other.text === this.text;
  }
  toDOM(): HTMLElement {
    const shown = document.createElement('span');
    shown.className = 'ghost-text';
    shown.textContent = this.text;
    shown.ariaHidden = 'true';
    return shown;
  }
}

const ghostField = StateField.define<Ghost | null>({
  create: () => null,
  update(ghost, transaction) {
    for (const effect of transaction.effects) if (effect.is(setGhost)) return effect.value;
    if (ghost === null || (!transaction.docChanged && transaction.selection === undefined)) return ghost;
    return typedAlong(ghost, transaction.state);
  },
  provide: (field) =>
    EditorView.decorations.from(field, (ghost) =>
      ghost === null
        ? Decoration.none
        : Decoration.set(Decoration.widget({ widget: new GhostText(ghost.text), side: 1 }).range(ghost.at)),
    ),
});

/** Whoever types what was suggested keeps the rest of it. */
function typedAlong({ at, text, model }: Ghost, { doc, selection }: EditorState): Ghost | null {
  const { head, empty } = selection.main;
  const typed = doc.sliceString(at, head);
  if (!empty || head <= at || typed.length >= text.length || !text.startsWith(typed)) return null;
  return { at: head, text: text.slice(typed.length), model };
}

export function ghost(session: NotebookSession, cellId: string, language: CellLanguage): Extension {
  if (session.isReadOnly || kindOf(language) === 'text') return [];
  return [ghostField, ViewPlugin.define((view) => asker(session, cellId, view))];
}

function asker(session: NotebookSession, cellId: string, view: EditorView) {
  let pause: ReturnType<typeof setTimeout> | undefined;
  let asking: AbortController | undefined;

  function stop(): void {
    clearTimeout(pause);
    asking?.abort();
  }

  async function ask(model: string): Promise<void> {
    const mine = new AbortController();
    asking = mine;
    const { head } = view.state.selection.main;
    const wish = { task: 'complete', cell_id: cellId, source: view.state.doc.toString(), offset: head } as const;
    try {
      await askAssist(
        session.sessionId,
        wish,
        (event) => {
          if (mine.signal.aborted) return;
          if (event.type === 'failed') stopTypingModel(session, event.message);
          if (event.type === 'done' && event.source !== null) show({ at: head, text: event.source, model });
        },
        mine.signal,
      );
    } catch (error) {
      if (!mine.signal.aborted) stopTypingModel(session, messageOf(error));
    }
  }

  function show(found: Ghost): void {
    view.dispatch({ effects: setGhost.of(found) });
    announce(`Suggested: ${found.text}. Tab takes it, Escape discards it.`);
  }

  return {
    update({ docChanged, selectionSet, transactions, state }: ViewUpdate) {
      if (!docChanged && !selectionSet) return;
      stop();
      if (!docChanged || !transactions.some((one) => one.isUserEvent('input')) || !isAtEndOfLine(state)) return;
      if (state.field(ghostField) !== null || session.store.get().connection !== 'live') return;
      const model = typingModel(session);
      if (model !== null) pause = setTimeout(() => void ask(model), pauseMilliseconds);
    },
    destroy: stop,
  };
}

/** Nothing but what closes brackets stands behind the cursor. */
function isAtEndOfLine({ doc, selection }: EditorState): boolean {
  const { head, empty } = selection.main;
  return empty && /^[\s)\]}'"]*$/.test(doc.sliceString(head, doc.lineAt(head).to));
}

/** False where nothing is suggested, or somebody has chosen from a list. */
export function takeGhost(view: EditorView): boolean {
  const found = view.state.field(ghostField, false);
  if (!found || selectedCompletion(view.state) !== null) return false;
  closeCompletion(view);
  const { at, text, model } = found;
  view.dispatch({
    changes: { from: at, insert: text },
    selection: { anchor: at + text.length },
    effects: setGhost.of(null),
    annotations: assistedBy.of(model),
    userEvent: 'complete',
    scrollIntoView: true,
  });
  return true;
}

export function discardGhost(view: EditorView): boolean {
  if (!view.state.field(ghostField, false)) return false;
  view.dispatch({ effects: setGhost.of(null) });
  return true;
}
