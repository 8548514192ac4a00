// Code that nobody is editing: coloured text, laid out exactly as the editor lays it out, at a fraction of its cost. The
// editor takes its place where it is clicked.

import { classHighlighter, highlightCode } from '@lezer/highlight';
import { memo, type ReactNode, useEffect, useMemo, useState } from 'react';
import { type CellLanguage, languageFacts } from '../../../src/cellLanguages.ts';
import { noBreakpoints } from '../notebook/breakpoints.ts';
import { annotationLine } from './annotations.ts';
import { isBeside } from './breakpoints.ts';
import { withoutFinalNewline } from './finalNewline.ts';
import { grammarNow, loadGrammar } from './languages.ts';
import './code.css';

export interface Place {
  readonly x: number;
  readonly y: number;
}

/** Very long sources are shown plain; colours come with the editor. */
const colouredCharacters = 60_000;
/** More lines are there when the cell is edited: only the editor draws no more than is in sight. */
const shownLines = 500;

export const StaticCode = memo(function StaticCode(props: {
  source: string;
  language: CellLanguage;
  marked: ReadonlySet<number>;
  stops?: readonly number[];
  /** For a click beside a line; undefined where the cell cannot stop. */
  onBeside?: ((line: number) => void) | undefined;
  isNumbered: boolean;
  onEdit: (place: Place | null) => void;
}) {
  const { source, language, marked, stops = noBreakpoints, onBeside } = props;
  const grammar = useGrammar(language);
  const lines = useMemo(() => colouredLines(withoutFinalNewline(source), grammar), [source, grammar]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on the cell does the same
    // biome-ignore lint/a11y/noStaticElementInteractions: it is text; a click puts the editor in its place
    <div
      className={props.isNumbered ? 'code static numbered' : 'code static'}
      onClick={(event) => {
        if (onBeside && isBeside(event.currentTarget, event.clientX)) {
          const lines = [...event.currentTarget.querySelectorAll('.line')];
          const at = lines.findIndex((line) => event.clientY < line.getBoundingClientRect().bottom);
          if (at >= 0) onBeside(at + 1);
        } else if (window.getSelection()?.isCollapsed ?? true) props.onEdit({ x: event.clientX, y: event.clientY });
      }}
    >
      <pre data-hint={source === '' ? languageFacts[language].hint : undefined}>
        {lines.slice(0, shownLines).map((line, index) => (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
            key={index}
            className={`line${marked.has(index + 1) ? ' marked' : ''}${stops.includes(index + 1) ? ' stops' : ''}`}
          >
            {line.length > 0 ? line : '\u200b'}
          </div>
        ))}
      </pre>
      {lines.length > shownLines && (
        <p className="code-more">
          … and {(lines.length - shownLines).toLocaleString('en')} more lines: edit the cell to see them
        </p>
      )}
    </div>
  );
});

function useGrammar(language: CellLanguage) {
  const [grammar, setGrammar] = useState(() => grammarNow(language));
  useEffect(() => {
    let isGone = false;
    void loadGrammar(language).then((loaded) => {
      if (!isGone) setGrammar(() => loaded);
    });
    return () => {
      isGone = true;
    };
  }, [language]);
  return grammar;
}

const lineCharacters = 2000;
const cut = (line: string): string => (line.length > lineCharacters ? `${line.slice(0, lineCharacters)} …` : line);

function colouredLines(source: string, grammar: ReturnType<typeof grammarNow>): ReactNode[][] {
  if (!grammar || source.length > colouredCharacters) return source.split('\n').map((line) => [cut(line)]);
  const lines: ReactNode[][] = [[]];
  highlightCode(
    source,
    grammar.parser.parse(source),
    classHighlighter,
    (text, classes) => {
      const line = lines.at(-1);
      const look = classes.includes('tok-comment') && annotationLine.test(text) ? 'tok-annotation' : classes;
      line?.push(
        look === '' ? (
          text
        ) : (
          <span key={line.length} className={look}>
            {text}
          </span>
        ),
      );
    },
    () => lines.push([]),
  );
  return lines;
}
