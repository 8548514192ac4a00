// What the editor of a cell can do: history, brackets, indentation, completion, and the keys that leave it.

import {
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
  completionStatus,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentLess, indentMore, insertTab } from '@codemirror/commands';
import { bracketMatching, indentOnInput, indentUnit, LanguageSupport, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState, type Extension, Prec, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  keymap,
  lineNumbers,
  placeholder,
} from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import { type CellLanguage, kindOf, languageFacts } from '../../../src/cellLanguages.ts';
import { walk } from '../notebook/moving.ts';
import { isRefused } from '../notebook/rights.ts';
import { runAndAdvance, runAndInsert, runCell } from '../notebook/running.ts';
import type { NotebookSession } from '../notebook/session.ts';
import { formatCell } from '../notebook/texts.ts';
import type { NeededScope } from '../scopes.ts';
import { annotationMarks } from './annotations.ts';
import { breakpoints } from './breakpoints.ts';
import { completeOnTab, completions, isOffering } from './completions.ts';
import { cursorMarks } from './cursorMarks.ts';
import { assistedBy, discardGhost, ghost, takeGhost } from './ghost.ts';
import { closeHelp, help } from './help.ts';
import { grammarNow, loadGrammar } from './languages.ts';
import { ownCursor } from './ownCursor.ts';
import { remarks } from './remarks.ts';

export const setMarkedLines = StateEffect.define<ReadonlySet<number>>();
const lineMark = Decoration.line({ class: 'marked' });

const markedField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    let next = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setMarkedLines)) continue;
      const { doc } = transaction.state;
      const lines = [...effect.value].filter((line) => line >= 1 && line <= doc.lines).sort((a, b) => a - b);
      next = Decoration.set(lines.map((line) => lineMark.range(doc.line(line).from)));
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

export const numberedLines = new Compartment();
export const lineNumbering = lineNumbers();

/** What the editor is called, by whoever hears it. */
export const calledSo = new Compartment();
export const calling = (label: string): Extension => EditorView.contentAttributes.of({ 'aria-label': label });

export interface EditedCell {
  readonly session: NotebookSession;
  readonly cellId: string;
  readonly language: CellLanguage;
  readonly label: string;
  /** What the editor's text is stored as. */
  readonly stored: (text: string) => string;
}

export function cellExtensions({ session, cellId, language, label, stored }: EditedCell): Extension {
  const grammar = new Compartment();
  const languageNow = grammarNow(language);
  return [
    grammar.of(languageNow ? new LanguageSupport(languageNow) : []),
    languageNow ? [] : lateGrammar(grammar, language),
    Prec.highest(keymap.of(leavingKeys(session, cellId))),
    placeholder(languageFacts[language].hint),
    history(),
    drawSelection(),
    EditorState.allowMultipleSelections.of(true),
    EditorState.readOnly.of(session.isReadOnly),
    indentUnit.of(language === 'python' ? '    ' : '  '),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    completions(session, cellId, language),
    help(session, cellId, language),
    ghost(session, cellId, language),
    ownCursor(session, cellId),
    cursorMarks(session, cellId),
    remarks(session, cellId, language),
    syntaxHighlighting(classHighlighter),
    annotationMarks,
    markedField,
    breakpoints(session, cellId, language),
    numberedLines.of(session.view.get().lineNumbers ? lineNumbering : []),
    keymap.of([
      { key: 'Tab', run: (view) => takeGhost(view) || completeOnTab(view) || indentOrTab(view), shift: indentLess },
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...historyKeymap,
      ...defaultKeymap,
    ]),
    calledSo.of(calling(label)),
    EditorView.contentAttributes.of({ spellcheck: kindOf(language) === 'text' ? 'true' : 'false' }),
    EditorView.updateListener.of((update) => {
      if (!update.docChanged) return;
      const model = update.transactions.map((one) => one.annotation(assistedBy)).find((one) => one !== undefined);
      const text = stored(update.state.doc.toString());
      session.store.send({ kind: 'typed', cellId, text, ...(model === undefined ? {} : { assistedBy: model }) });
    }),
    EditorView.lineWrapping,
  ];
}

/** A grammar that is not loaded yet joins when it is. */
const lateGrammar = (grammar: Compartment, language: CellLanguage): Extension =>
  EditorView.domEventHandlers({
    focus(_event, view) {
      void loadGrammar(language).then((loaded) => {
        if (loaded && view.dom.isConnected)
          view.dispatch({ effects: grammar.reconfigure(new LanguageSupport(loaded)) });
      });
    },
  });

function indentOrTab(view: EditorView): boolean {
  return view.state.selection.main.empty ? insertTab(view) : indentMore(view);
}

function leavingKeys(session: NotebookSession, cellId: string) {
  const leave = () => {
    session.view.send({ kind: 'select', cellId, mode: 'command' });
    return true;
  };
  const run =
    (work: (session: NotebookSession, cellId: string) => void, needs: NeededScope = 'notebook:execute') =>
    (view: EditorView) => {
      // What is offered would cover the result.
      closeCompletion(view);
      if (!isRefused(session, needs)) work(session, cellId);
      return true;
    };
  const atEdge = (view: EditorView, line: number, step: number): boolean => {
    const { main } = view.state.selection;
    if (!main.empty || view.state.doc.lineAt(main.head).number !== line) return false;
    const shown = session.store.get().order;
    if ((step < 0 && shown[0] === cellId) || (step > 0 && shown.at(-1) === cellId)) return false;
    walk(session, step, 'edit');
    return true;
  };
  return [
    // What is suggested, a list of completions or a help that is open is closed first.
    {
      key: 'Escape',
      run: (view: EditorView) =>
        discardGhost(view) || (isOffering(view.state) && closeCompletion(view)) || closeHelp(view) || leave(),
    },
    // Whoever comes from Jupyter presses Enter to begin in a new cell, and is in it already.
    { key: 'Enter', run: (view: EditorView) => view.state.doc.length === 0 },
    { key: 'Shift-Enter', run: run(runAndAdvance) },
    { key: 'Mod-Enter', run: run((s, id) => runCell(s, id)) },
    { key: 'Mod-Shift-Enter', run: run((s, id) => runCell(s, id, 'cell_execute_rerun')) },
    { key: 'Alt-Enter', run: run(runAndInsert) },
    { key: 'Shift-Alt-f', run: run((s, id) => void formatCell(s, id), 'notebook:write') },
    {
      key: 'ArrowUp',
      run: (view: EditorView) => completionStatus(view.state) === null && atEdge(view, 1, -1),
    },
    {
      key: 'ArrowDown',
      run: (view: EditorView) => completionStatus(view.state) === null && atEdge(view, view.state.doc.lines, 1),
    },
  ];
}
