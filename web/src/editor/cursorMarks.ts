// Cursors and selections of others in the text that somebody edits, named and in their colours. Between two tellings they move with
// the text.
import { type EditorState, type Extension, type Range, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin, WidgetType } from '@codemirror/view';
import type { NotebookSession } from '../notebook/session.ts';
import { toneOf } from '../notebook/tones.ts';
import { type NotebookModel, othersIn } from '../state/index.ts';

type Others = NotebookModel['cursors'];

const setOthers = StateEffect.define<Others>();

class Caret extends WidgetType {
  readonly name: string;
  /** One that has moved is another: its name is shown anew. */
  readonly head: number;
  constructor(name: string, head: number) {
    super();
    this.name = name;
    this.head = head;
  }
  override eq(other: Caret): boolean {
    return other.name === this.name && other.head === this.head;
  }
  toDOM(): HTMLElement {
    const caret = document.createElement('span');
    caret.className = 'other-caret';
    caret.style.setProperty('--who', toneOf(this.name));
    caret.ariaHidden = 'true'; // who is in the cell is said beside it
    const name = document.createElement('span');
    name.className = 'other-name';
    name.textContent = this.name;
    caret.append(name);
    return caret;
  }
}

const othersField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, transaction) {
    for (const effect of transaction.effects) if (effect.is(setOthers)) return drawn(effect.value, transaction.state);
    return shown.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

function drawn(others: Others, { doc }: EditorState): DecorationSet {
  const ranges: Range<Decoration>[] = [];
  for (const { principal, anchor, head } of others) {
    const [from, to] = [Math.min(anchor, head, doc.length), Math.min(Math.max(anchor, head), doc.length)];
    const style = `--who: ${toneOf(principal)}`;
    if (from < to) ranges.push(Decoration.mark({ class: 'other-selection', attributes: { style } }).range(from, to));
    const place = Math.min(head, doc.length);
    ranges.push(Decoration.widget({ widget: new Caret(principal, head), side: place === from ? -1 : 1 }).range(place));
  }
  return Decoration.set(ranges, true);
}

export function cursorMarks({ store }: NotebookSession, cellId: string): Extension {
  const follow = ViewPlugin.define((view) => {
    let isGone = false;
    let { cursors, presence } = store.get();
    const show = (): void => {
      if (!isGone) view.dispatch({ effects: setOthers.of(othersIn(store.get(), cellId)) });
    };
    // An editor that is being made takes no changes; one that was kept remembers who was there then.
    queueMicrotask(show);
    const stop = store.subscribe(() => {
      const now = store.get();
      if (now.cursors === cursors && now.presence.you === presence.you) return;
      ({ cursors, presence } = now);
      show();
    });
    return {
      destroy() {
        isGone = true;
        stop();
      },
    };
  });
  return [othersField, follow];
}
