// What a cell prints, live. The end is shown and followed; the whole is there on demand, line by line as it is scrolled.
// Warnings and progress go to stderr: it is marked, and no alarm.
import { lazy, memo, Suspense, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { colouredRuns, hasColours } from '../../../src/terminalColours.ts';
import { terminalText } from '../../../src/terminalText.ts';
import type { CellModel } from '../state/index.ts';
import { Coloured } from './Coloured.tsx';

const LongText = lazy(() => import('../outputs/LongText.tsx').then((room) => ({ default: room.LongText })));

const shownLines = 24;
/** A line may be as long as a book. */
const shownCharacters = 20_000;

export const Console = memo(function Console({ cell }: { cell: Pick<CellModel, 'stdout' | 'stderr' | 'status'> }) {
  return (
    <>
      {cell.stdout !== '' && <Stream text={cell.stdout} name="Printed" isLive={cell.status === 'running'} />}
      {cell.stderr !== '' && (
        <Stream text={cell.stderr} name="Printed to stderr" isLive={cell.status === 'running'} isAside />
      )}
    </>
  );
});

function Stream(props: { text: string; name: string; isLive: boolean; isAside?: boolean }) {
  const { isLive } = props;
  const text = useMemo(() => terminalText(props.text), [props.text]);
  const [isWhole, setWhole] = useState(false);
  const place = useRef<HTMLElement>(null);
  const { tail, hidden } = useMemo(() => tailOf(text, shownLines), [text]);
  const shown = tail.slice(-shownCharacters);
  const isCut = hidden > 0 || shown.length < tail.length;
  const runs = useMemo(() => {
    const printed = hasColours(props.text) && shown === tail ? tailOf(props.text, shownLines).tail : '';
    return hasColours(printed) ? colouredRuns(printed) : undefined;
  }, [props.text, shown, tail]);

  useLayoutEffect(() => {
    if (isLive && place.current && tail !== '') place.current.scrollTop = place.current.scrollHeight;
  }, [tail, isLive]);

  return (
    <div className={props.isAside ? 'console aside' : 'console'}>
      {isWhole ? (
        <Suspense fallback={<pre>{shown}</pre>}>
          <LongText text={text} label={props.name} />
        </Suspense>
      ) : (
        <section ref={place} className="console-end" tabIndex={isCut ? 0 : -1} aria-label={props.name}>
          <pre>{runs ? <Coloured runs={runs} /> : shown}</pre>
        </section>
      )}
      {(isCut || isWhole) && (
        <button type="button" className="text-button" onClick={() => setWhole(!isWhole)}>
          {isWhole
            ? 'Show the end only'
            : hidden > 0
              ? `Show ${hidden.toLocaleString('en')} earlier lines`
              : 'Show all of it'}
        </button>
      )}
    </div>
  );
}

/** Looks from the end, so that a long text costs no more than a short one while it grows. */
function tailOf(text: string, lines: number): { readonly tail: string; readonly hidden: number } {
  let at = text.endsWith('\n') ? text.length - 1 : text.length;
  for (let count = 0; count < lines; count += 1) {
    at = text.lastIndexOf('\n', at - 1);
    if (at === -1) return { tail: text, hidden: 0 };
  }
  let hidden = 1;
  for (let place = text.indexOf('\n'); place !== -1 && place < at; place = text.indexOf('\n', place + 1)) hidden += 1;
  return { tail: text.slice(at + 1), hidden };
}
