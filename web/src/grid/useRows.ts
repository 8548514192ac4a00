// Which rows of a table stand in its scroller now, however many there are.
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { barAt, elementHeight, moved, type ScrollSpace, type Standing } from './scrollSpace.ts';

/** Rows beyond those that are seen, above and below. */
const spare = 8;
/** More pixels at once than a wheel or a finger turns. */
const littleStep = 5000;
/** The bar goes where it belongs when nobody moves it, or when it is this far off. */
const restMilliseconds = 150;
const farOff = 20_000;

export interface Rows {
  readonly scroller: RefObject<HTMLElement | null>;
  onScroll(): void;
  /** Rows to draw: from the first up to, but without, the last. */
  readonly from: number;
  readonly to: number;
  /** Pixels of the rows that are not drawn. */
  readonly above: number;
  readonly below: number;
  /** The first row that is seen. */
  readonly top: number;
  /** By so many rows. */
  step(rows: number): void;
  goTo(row: number): void;
}

const start: Standing = { bar: 0, top: 0 };

interface Wanted {
  readonly total: number;
  readonly rowHeight: number;
  readonly shownRows: number;
  /** Where it stood before it was here. */
  readonly first: { readonly top: number; readonly left: number };
  onStand(place: { readonly top: number; readonly left: number }): void;
}

export function useRows({ total, rowHeight, shownRows, first: before, onStand }: Wanted): Rows {
  const scroller = useRef<HTMLElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const standing = useRef(start);
  const [seen, setSeen] = useState(start);
  const whole = total * rowHeight;
  const height = elementHeight(whole);

  useEffect(() => () => clearTimeout(timer.current), []);

  const spaceOf = (element: HTMLElement): ScrollSpace => ({
    whole,
    height,
    barEnd: element.scrollHeight - element.clientHeight,
  });

  const stand = (next: Standing): void => {
    standing.current = next;
    setSeen(next);
    onStand({ top: next.top, left: scroller.current?.scrollLeft ?? 0 });
  };

  function show(top: number): void {
    const element = scroller.current;
    if (!element) return;
    const space = spaceOf(element);
    const end = Math.max(0, space.barEnd + whole - height);
    const wanted = Math.min(Math.max(0, top), end);
    element.scrollTop = Math.round(barAt(space, wanted));
    stand({ bar: element.scrollTop, top: wanted });
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: where it stood is gone to once
  useLayoutEffect(() => {
    scroller.current?.scrollTo({ left: before.left });
    if (before.top > 0) show(before.top);
  }, []);

  const onScroll = (): void => {
    const element = scroller.current;
    if (!element) return;
    const space = spaceOf(element);
    const next = moved(space, standing.current, element.scrollTop, littleStep);
    // Drawn before the scroller is painted: no gap is seen.
    flushSync(() => stand(next));
    const off = Math.abs(next.bar - barAt(space, next.top));
    clearTimeout(timer.current);
    if (off > farOff) show(next.top);
    else if (off > 1) timer.current = setTimeout(() => show(next.top), restMilliseconds);
  };

  const shift = seen.top - seen.bar;
  const first = Math.min(Math.floor(seen.top / rowHeight), Math.max(0, total - 1));
  // Nothing can be drawn above the element's own top.
  const from = Math.max(0, first - spare, Math.ceil(shift / rowHeight));
  const to = Math.min(total, first + shownRows + 3 + spare);
  const above = Math.max(0, from * rowHeight - shift);
  return {
    scroller,
    onScroll,
    from: Math.min(from, to),
    to,
    above,
    below: Math.max(0, height - above - (to - from) * rowHeight),
    top: first,
    step: (rows) => show(standing.current.top + rows * rowHeight),
    goTo: (row) => show(row * rowHeight),
  };
}
