// What a name means, shown beside it: asked for with Shift+Tab, as in Jupyter, or by resting on it.

import { type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state';
import { EditorView, hoverTooltip, keymap, showTooltip, type Tooltip } from '@codemirror/view';
import { type CellLanguage, can } from '../../../src/cellLanguages.ts';
import { explain } from '../api/index.ts';
import type { NotebookSession } from '../notebook/session.ts';

const setHelp = StateEffect.define<Tooltip | null>();

/** Stays until the text changes, the cursor leaves or Escape is pressed. */
const shownHelp = StateField.define<Tooltip | null>({
  create: () => null,
  update(help, transaction) {
    for (const effect of transaction.effects) if (effect.is(setHelp)) return effect.value;
    return transaction.docChanged || transaction.selection ? null : help;
  },
  provide: (field) => showTooltip.from(field),
});

export function help(session: NotebookSession, cellId: string, language: CellLanguage): Extension {
  if (!can(language, 'give hints') || session.isReadOnly) return [];
  const find = (state: EditorState, offset: number): Promise<Tooltip | null> =>
    tooltipAt({ sessionId: session.sessionId, cellId, source: state.doc.toString(), offset });

  function showHelp(view: EditorView): boolean {
    const { state } = view;
    const { main } = state.selection;
    const line = state.doc.lineAt(main.head);
    // At the start of a line the key takes its indentation back.
    if (!main.empty || state.sliceDoc(line.from, main.head).trim() === '') return false;
    void find(state, main.head).then((tooltip) => {
      const isStill = view.state.doc.eq(state.doc) && view.state.selection.eq(state.selection);
      if (isStill && tooltip) view.dispatch({ effects: setHelp.of(tooltip) });
    });
    return true;
  }

  return [
    shownHelp,
    hoverTooltip((view, offset) => (view.hasFocus ? find(view.state, offset) : null), { hoverTime: 600 }),
    keymap.of([{ key: 'Shift-Tab', run: showHelp }]),
    EditorView.domEventHandlers({ blur: (_event, view) => void closeHelp(view) }),
  ];
}

export function closeHelp(view: EditorView): boolean {
  if (!view.state.field(shownHelp, false)) return false;
  view.dispatch({ effects: setHelp.of(null) });
  return true;
}

async function tooltipAt(at: Parameters<typeof explain>[0]): Promise<Tooltip | null> {
  const found = await explain(at, AbortSignal.timeout(20_000)).catch(() => null);
  if (!found || found.signature === null) return null;
  const { signature, text } = found;
  return { pos: at.offset, above: true, create: () => ({ dom: helpOf(signature, text) }) };
}

function helpOf(signature: string, text: string): HTMLElement {
  const place = document.createElement('section');
  place.className = 'code-help';
  place.setAttribute('aria-label', 'Help');
  const heading = document.createElement('code');
  heading.className = 'code-help-signature';
  heading.textContent = signature;
  heading.tabIndex = 0;
  place.append(heading);
  if (text.trim() === '') return place;
  const body = document.createElement('pre');
  body.className = 'code-help-text';
  body.textContent = text.trim();
  body.tabIndex = 0;
  place.append(body);
  return place;
}
