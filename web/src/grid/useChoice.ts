// Cells that were chosen: by pressing and dragging, and from there by Shift and the arrow keys.
import { type KeyboardEvent, type PointerEvent, useState } from 'react';

interface Place {
  readonly row: number;
  readonly place: number;
}

/** Both ends belong to it. */
export interface Choice {
  readonly rows: readonly [from: number, to: number];
  readonly places: readonly [from: number, to: number];
}

const steps: Readonly<Record<string, readonly [rows: number, places: number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
};

function placeOf(target: EventTarget): Place | null {
  const cell = target instanceof Element ? target.closest<HTMLElement>('[data-place]') : null;
  const row = cell?.closest<HTMLElement>('[data-row]');
  return cell && row ? { row: Number(row.dataset.row), place: Number(cell.dataset.place) } : null;
}

const between = (a: number, b: number): readonly [number, number] => (a < b ? [a, b] : [b, a]);
const clamp = (value: number, count: number): number => Math.min(Math.max(0, value), count - 1);

export function useChoice(rowCount: number, placeCount: number) {
  const [ends, setEnds] = useState<readonly [anchor: Place, head: Place] | null>(null);
  const choice: Choice | null =
    ends === null || rowCount === 0
      ? null
      : {
          rows: between(clamp(ends[0].row, rowCount), clamp(ends[1].row, rowCount)),
          places: between(clamp(ends[0].place, placeCount), clamp(ends[1].place, placeCount)),
        };
  return {
    choice,
    clear: () => setEnds(null),
    pointer: {
      onPointerDown(event: PointerEvent) {
        const at = placeOf(event.target);
        if (!at || event.button !== 0) return;
        setEnds(event.shiftKey && ends ? [ends[0], at] : [at, at]);
      },
      onPointerMove(event: PointerEvent) {
        const at = event.buttons === 1 && event.pointerType === 'mouse' ? placeOf(event.target) : null;
        if (at && ends) setEnds([ends[0], at]);
      },
    },
    /** Whether the key was meant for what is chosen. */
    press(event: KeyboardEvent): boolean {
      const isMod = event.ctrlKey || event.metaKey;
      if (isMod && event.key === 'a') {
        setEnds([
          { row: 0, place: 0 },
          { row: rowCount - 1, place: placeCount - 1 },
        ]);
        return true;
      }
      if (!ends) return false;
      const step = event.shiftKey && !isMod ? steps[event.key] : undefined;
      if (step) {
        const [anchor, { row, place }] = ends;
        setEnds([anchor, { row: clamp(row + step[0], rowCount), place: clamp(place + step[1], placeCount) }]);
        return true;
      }
      if (event.key !== 'Escape') return false;
      setEnds(null);
      return true;
    },
  };
}
