// Lines of a cell that its run stops at: they move with the text, and a click beside it sets and removes them.

import { type Extension, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';
import type { CellLanguage } from '../../../src/cellLanguages.ts';
import { mayStop, noBreakpoints } from '../notebook/breakpoints.ts';
import type { NotebookSession } from '../notebook/session.ts';

/** Set from outside: what the view knows. */
export const setBreakpoints = StateEffect.define<readonly number[]>();
const mark = Decoration.line({ class: 'stops' });

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    let next = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setBreakpoints)) continue;
      const { doc } = transaction.state;
      next = Decoration.set(
        effect.value.filter((line) => line <= doc.lines).map((line) => mark.range(doc.line(line).from)),
      );
    }
    return next;
  },
  provide: (marks) => EditorView.decorations.from(marks),
});

export function breakpoints(session: NotebookSession, cellId: string, language: CellLanguage): Extension {
  if (!mayStop(session, language)) return [];
  return [
    field,
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (!docChanged) return;
      const lines: number[] = [];
      state.field(field).between(0, state.doc.length, (from) => void lines.push(state.doc.lineAt(from).number));
      const moved = [...new Set(lines)];
      const known = session.view.get().breakpoints.get(cellId) ?? noBreakpoints;
      if (moved.join() !== known.join()) session.view.send({ kind: 'breakpoints', cellId, lines: moved });
    }),
  ];
}

/** Whether a click is in the margin that is left of the text. */
export function isBeside(code: Element, x: number): boolean {
  const { left } = code.getBoundingClientRect();
  return x - left < Number.parseFloat(getComputedStyle(code).paddingLeft);
}
