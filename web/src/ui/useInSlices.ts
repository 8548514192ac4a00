// Of much that is wanted on the page a little is drawn with each picture, so that none of them is waited for.
import { useEffect, useLayoutEffect, useReducer, useRef } from 'react';

/** Those of `wanted` that are drawn now: all that were drawn before, and the first of the others, at most `most` with one picture. */
export function useInSlices(wanted: readonly string[], most: number): ReadonlySet<string> {
  const before = useRef<ReadonlySet<string>>(new Set());
  /** How many came with this picture: it may be drawn in several steps, as a list does that measures what it draws. */
  const came = useRef(0);
  const isShort = useRef(false);
  const waiting = useRef<(() => void) | null>(null);
  const [, drawMore] = useReducer((times: number) => times + 1, 0);
  const more = wanted.filter((id) => !before.current.has(id)).slice(0, most - came.current);
  const drawn = new Set([...wanted.filter((id) => before.current.has(id)), ...more]);
  useLayoutEffect(() => {
    before.current = drawn;
    isShort.current = drawn.size < wanted.length;
    came.current += more.length;
    if (came.current === 0) return;
    waiting.current ??= afterPicture(() => {
      waiting.current = null;
      came.current = 0;
      if (isShort.current) drawMore();
    });
  });
  useEffect(() => () => waiting.current?.(), []);
  return drawn;
}

/** In a task of its own. Gives what calls it off. */
function afterPicture(work: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const frame = requestAnimationFrame(() => {
    timer = setTimeout(work);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
