// What is wrong or without effect in the text that is being written: underlined, and said below the text.
import { type Extension, type Range, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, type Panel, showPanel, ViewPlugin } from '@codemirror/view';
import { type CellLanguage, can } from '../../../src/cellLanguages.ts';
import type { RemarksBody } from '../../../src/protocol/index.ts';
import { readRemarks } from '../api/index.ts';
import type { NotebookSession } from '../notebook/session.ts';
import { remarkWords } from './remarkWords.ts';

type Remark = RemarksBody['remarks'][number];

/** Whoever types on is not interrupted. */
const pauseMilliseconds = 500;
const shownRemarks = 5;

interface Remarks {
  readonly said: readonly Remark[];
  readonly marks: DecorationSet;
}

const setRemarks = StateEffect.define<readonly Remark[]>();

const remarksField = StateField.define<Remarks>({
  create: () => ({ said: [], marks: Decoration.none }),
  update(remarks, { effects, changes, docChanged }) {
    const told = effects.find((effect) => effect.is(setRemarks));
    if (told) return { said: told.value, marks: Decoration.set(told.value.map(markOf), true) };
    return docChanged ? { ...remarks, marks: remarks.marks.map(changes) } : remarks;
  },
  provide: (field) => [
    EditorView.decorations.from(field, ({ marks }) => marks),
    showPanel.from(field, ({ said }) => (said.length === 0 ? null : panelOf)),
  ],
});

const markOf = ({ from, to, message }: Remark): Range<Decoration> =>
  Decoration.mark({ class: 'remarked', attributes: { title: message } }).range(from, Math.max(to, from + 1));

function panelOf(view: EditorView): Panel {
  const dom = document.createElement('ul');
  dom.className = 'remarks';
  const write = (): void => {
    const { doc } = view.state;
    const { said } = view.state.field(remarksField);
    const words = remarkWords(said.map((one) => ({ ...one, line: doc.lineAt(Math.min(one.from, doc.length)).number })));
    const items = words.slice(0, shownRemarks).map(({ text, code }) => item(text, code));
    if (words.length > shownRemarks) items.push(item(`and ${words.length - shownRemarks} more`));
    dom.replaceChildren(...items);
  };
  write();
  return { dom, update: (update) => update.transactions.some(({ effects }) => effects.length > 0) && write() };
}

function item(text: string, code = ''): HTMLElement {
  const line = document.createElement('li');
  line.className = 'warn';
  line.textContent = text;
  line.title = code;
  return line;
}

export function remarks(session: NotebookSession, cellId: string, language: CellLanguage): Extension {
  if (!can(language, 'be formatted') || session.isReadOnly) return [];
  const asking = ViewPlugin.define((view) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let leaving = new AbortController();
    async function ask(): Promise<void> {
      const { doc } = view.state;
      const cell = { sessionId: session.sessionId, cellId, source: doc.toString() };
      const { remarks } = await readRemarks(cell, leaving.signal);
      // What was asked about has changed meanwhile: it is asked again.
      if (!leaving.signal.aborted && view.state.doc.eq(doc)) view.dispatch({ effects: setRemarks.of(remarks) });
    }
    function wait(): void {
      clearTimeout(timer);
      leaving.abort();
      leaving = new AbortController();
      timer = setTimeout(() => ask().catch(() => {}), pauseMilliseconds);
    }
    wait();
    return {
      update: ({ docChanged }) => docChanged && wait(),
      destroy() {
        clearTimeout(timer);
        leaving.abort();
      },
    };
  });
  return [remarksField, asking];
}
