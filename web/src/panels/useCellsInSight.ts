// The cells that stand in the page's window now, for panels that follow it.
import { useEffect, useState } from 'react';

const restMilliseconds = 150;

export function useCellsInSight(): ReadonlySet<string> {
  const [inSight, setInSight] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const scroller = document.querySelector<HTMLElement>('.cells');
    if (!scroller) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      const { top, bottom } = scroller.getBoundingClientRect();
      const seen = [...scroller.querySelectorAll<HTMLElement>('[data-cell]')].filter((cell) => {
        const box = cell.getBoundingClientRect();
        return box.bottom > top && box.top < bottom;
      });
      const ids = new Set(seen.map((cell) => cell.dataset.cell ?? ''));
      setInSight((before) => (before.symmetricDifference(ids).size === 0 ? before : ids));
    };
    const soon = (): void => {
      clearTimeout(timer);
      timer = setTimeout(look, restMilliseconds);
    };
    look();
    scroller.addEventListener('scroll', soon, { passive: true });
    return () => {
      clearTimeout(timer);
      scroller.removeEventListener('scroll', soon);
    };
  }, []);
  return inSight;
}
