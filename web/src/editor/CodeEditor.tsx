// The editor of one cell. Its text is the store's: typing goes there at once, and what others write comes from there.

import { EditorSelection, EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { type CellLanguage, languageFacts } from '../../../src/cellLanguages.ts';
import { useNotebook, useView } from '../notebook/context.ts';
import { textOf } from '../state/index.ts';
import { isBeside, setBreakpoints } from './breakpoints.ts';
import { calledSo, calling, cellExtensions, lineNumbering, numberedLines, setMarkedLines } from './extensions.ts';
import { shownText } from './finalNewline.ts';
import type { Place } from './StaticCode.tsx';
import './code.css';

export function CodeEditor(props: {
  cellId: string;
  language: CellLanguage;
  label: string;
  marked: ReadonlySet<number>;
  stops: readonly number[];
  /** For a click beside a line; undefined where the cell cannot stop. */
  onBeside: ((line: number) => void) | undefined;
  /** Where it was clicked. */
  at: Place | null;
}) {
  const { cellId, language, at, label, stops, onBeside } = props;
  const session = useNotebook();
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView | null>(null);
  const isNumbered = useView((view) => view.lineNumbers);
  const jump = useView((view) => (view.jump?.cellId === cellId ? view.jump : null));
  // What it is called and where it was clicked may be others a moment later: the editor stays, and the cursor in it.
  const begin = useRef({ label, at });

  useLayoutEffect(() => {
    if (!host.current) return;
    const source = textOf(session.store.get(), cellId);
    const ending = shownText(source);
    const current = ending.shown(source);
    const kept = session.editors.get(cellId);
    const cursor = session.cursors.get(cellId);
    session.cursors.delete(cellId);
    const state =
      kept?.doc.toString() === current
        ? kept
        : EditorState.create({
            doc: current,
            ...(cursor && cursor.main.to <= current.length ? { selection: cursor } : {}),
            extensions: cellExtensions({
              session,
              cellId,
              language,
              label: begin.current.label,
              stored: ending.stored,
            }),
          });
    const view = new EditorView({ state, parent: host.current });
    editor.current = view;
    const now = () => view.state;
    session.editing.state = now;
    if (begin.current.at) {
      const place = view.posAtCoords(begin.current.at);
      if (place !== null) view.dispatch({ selection: EditorSelection.cursor(place) });
    }
    view.focus();
    // What a new widget begins with is an example, which typing replaces; any other cell goes on from there.
    const end = view.state.doc.length;
    if (session.typeahead.takes() !== null && session.typeahead.place() === 'behind')
      view.dispatch({ selection: { anchor: languageFacts[language].start === '' ? end : 0, head: end } });
    session.typeahead.replay((typed) => {
      // A run may have led to another cell.
      if (typed !== '' && session.view.get().selected === cellId) view.dispatch(view.state.replaceSelection(typed));
    });
    let shown = view.state.doc.toString();
    const unsubscribe = session.store.subscribe(() => {
      const wanted = ending.shown(textOf(session.store.get(), cellId));
      if (wanted === shown) return;
      shown = wanted;
      const text = view.state.doc.toString();
      if (text !== wanted) view.dispatch({ changes: smallestChange(text, wanted) });
    });
    return () => {
      unsubscribe();
      session.editors.set(cellId, view.state);
      if (session.editing.state === now) session.editing.state = null;
      view.destroy();
      editor.current = null;
    };
  }, [session, cellId, language]);

  useEffect(() => {
    editor.current?.dispatch({ effects: calledSo.reconfigure(calling(label)) });
  }, [label]);

  useEffect(() => {
    editor.current?.dispatch({ effects: setMarkedLines.of(props.marked) });
  }, [props.marked]);

  useEffect(() => {
    editor.current?.dispatch({ effects: setBreakpoints.of(stops) });
  }, [stops]);

  useEffect(() => {
    editor.current?.dispatch({ effects: numberedLines.reconfigure(isNumbered ? lineNumbering : []) });
  }, [isNumbered]);

  useEffect(() => {
    const view = editor.current;
    if (!view || !jump || jump.line === null) return;
    const line = view.state.doc.line(Math.max(1, Math.min(jump.line, view.state.doc.lines)));
    view.dispatch({
      selection: EditorSelection.cursor(line.from + placeOf(jump.name, line.text)),
      scrollIntoView: true,
    });
    view.focus();
    session.view.send({ kind: 'arrived' });
  }, [session, jump]);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: F9 does the same
    <div
      ref={host}
      className="code editing"
      onMouseDown={(event) => {
        const view = editor.current;
        if (!view || !onBeside || !isBeside(event.currentTarget, event.clientX)) return;
        event.preventDefault();
        const place = view.lineBlockAtHeight(event.clientY - view.documentTop);
        onBeside(view.state.doc.lineAt(place.from).number);
      }}
    />
  );
}

/** Where a name begins in a line; its end where the line has none of that name. */
function placeOf(name: string | null, text: string): number {
  const words = text.matchAll(/[\p{L}_][\p{L}\p{N}_]*/gu);
  return [...words].find(([word]) => word === name)?.index ?? text.length;
}

function smallestChange(before: string, after: string): { from: number; to: number; insert: string } {
  let from = 0;
  const shorter = Math.min(before.length, after.length);
  while (from < shorter && before[from] === after[from]) from += 1;
  let tail = 0;
  while (tail < shorter - from && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  return { from, to: before.length - tail, insert: after.slice(from, after.length - tail) };
}
