// The cells, of which only those in sight (and the selected one) exist on the page.
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef } from 'react';
import { Cell } from '../cells/Cell.tsx';
import { withoutFinalNewline } from '../editor/finalNewline.ts';
import { useModel, useNotebook, useView } from '../notebook/context.ts';
import { shownCells } from '../notebook/moving.ts';
import type { NotebookModel } from '../state/index.ts';
import { Guard, useInSlices, usePrinting } from '../ui/index.ts';
import { AddRow } from './AddRow.tsx';

const lineHeight = 20;
/** Cells that come with one picture: those in sight first. */
const atOnce = 6;

export function CellList() {
  return usePrinting() ? <WholeList /> : <CellsInSight />;
}

/** On paper. */
function WholeList() {
  const shown = useModel(shownCells);
  return (
    <div className="cells whole">
      {shown.map((id, index) => (
        <Guard key={id} what="This cell">
          <Cell cellId={id} place={index} count={shown.length} />
        </Guard>
      ))}
    </div>
  );
}

function CellsInSight() {
  const session = useNotebook();
  const shown = useModel(shownCells);
  const selected = useView((view) => view.selected);
  const jumps = useView((view) => view.jumps);
  const scroller = useRef<HTMLDivElement>(null);
  const selectedIndex = shown.indexOf(selected ?? '');
  // Going to the same cell again is a new wish.
  const wish = useMemo(() => ({ index: selectedIndex, jumps }), [selectedIndex, jumps]);

  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => estimated(session.store.get(), shown[index] ?? ''),
    getItemKey: (index) => shown[index] ?? index,
    overscan: 3,
    paddingStart: 16,
    scrollPaddingStart: 16,
    scrollPaddingEnd: 16,
    rangeExtractor(range) {
      const near = defaultRangeExtractor(range);
      return selectedIndex < 0 || near.includes(selectedIndex) ? near : [...near, selectedIndex].sort((a, b) => a - b);
    },
  });

  const items = rows.getVirtualItems();
  const inSight = (index: number): boolean => {
    const { startIndex, endIndex } = rows.range ?? { startIndex: 0, endIndex: 0 };
    return index === selectedIndex || (index >= startIndex && index <= endIndex);
  };
  const byNeed = [...items.filter(({ index }) => inSight(index)), ...items.filter(({ index }) => !inSight(index))];
  const drawn = useInSlices(
    byNeed.map(({ index }) => shown[index] ?? ''),
    atOnce,
  );

  useEffect(() => {
    if (wish.index < 0) return;
    const box = scroller.current?.querySelector(`[data-index="${wish.index}"]`)?.getBoundingClientRect();
    const view = scroller.current?.getBoundingClientRect();
    if (!view) return;
    const isInSight =
      box && box.top >= view.top - 4 && (box.bottom <= view.bottom + 4 || box.top < view.top + view.height / 2);
    if (!isInSight) rows.scrollToIndex(wish.index, { align: 'auto' });
  }, [wish, rows]);

  return (
    <div ref={scroller} className="cells">
      {shown.length === 0 && <p className="cells-none">This notebook has no cells yet.</p>}
      {shown.length > 0 && (
        // biome-ignore lint/a11y/useSemanticElements: a virtual list has no element of its own
        <div role="list" aria-label="Cells" className="cells-inner" style={{ height: rows.getTotalSize() }}>
          {items
            .filter(({ index }) => drawn.has(shown[index] ?? ''))
            .map(({ key, index, start }) => (
              <div
                key={key}
                ref={rows.measureElement}
                data-index={index}
                role="presentation"
                className="cells-place"
                style={{ transform: `translateY(${start}px)` }}
              >
                <Guard what="This cell">
                  <Cell cellId={shown[index] ?? ''} place={index} count={shown.length} />
                </Guard>
              </div>
            ))}
        </div>
      )}
      {!session.isReadOnly && <AddRow after={shown.at(-1) ?? null} />}
    </div>
  );
}

/** Around the lines of a cell's text. */
const aroundLines = 72;
const mostLines = 60;

/** A guess until the cell was on the page once; exact for code that has shown nothing yet. */
function estimated({ cells }: NotebookModel, cellId: string): number {
  const cell = cells.get(cellId);
  if (!cell) return 80;
  const text = withoutFinalNewline(cell.source);
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1 && lines < mostLines; at = text.indexOf('\n', at + 1)) lines += 1;
  return aroundLines + lines * lineHeight + Math.min(cell.displays.length, 3) * 90 + (cell.stdout === '' ? 0 : 40);
}
