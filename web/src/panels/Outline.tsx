// The notebook at a glance: headings and cells, how each stands, a click away.

import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { kindOf } from '../../../src/cellLanguages.ts';
import { useCell, useModel, useNotebook, useView } from '../notebook/context.ts';
import { shownCells } from '../notebook/moving.ts';
import { duration, labelOf, stoppedAfter, whyStale } from '../state/index.ts';
import { Dot } from '../ui/index.ts';

export function Outline() {
  const shown = useModel(shownCells);
  const place = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => place.current?.parentElement ?? null,
    estimateSize: () => 28,
    overscan: 12,
  });
  return (
    <div ref={place} style={{ position: 'relative', height: rows.getTotalSize() }}>
      <ul className="rows">
        {rows.getVirtualItems().map(({ index, start }) => (
          <li key={shown[index]} style={{ position: 'absolute', width: '100%', transform: `translateY(${start}px)` }}>
            <Row cellId={shown[index] ?? ''} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Row({ cellId }: { cellId: string }) {
  const { view } = useNotebook();
  const cell = useCell(cellId);
  const label = useModel((model) => labelOf(model, cellId));
  const stale = useModel((model) => {
    const known = model.cells.get(cellId);
    return known !== undefined && whyStale(model, known) !== null;
  });
  const isSelected = useView((state) => state.selected === cellId);
  if (!cell) return null;
  const isNote = kindOf(cell.language) === 'text';
  const status = stale ? 'stale' : cell.status;
  const took = cell.durationMs === null ? '' : duration(cell.durationMs);
  const standing = status === 'ready' ? took : status === 'idle' ? '' : status;
  const note = stoppedAfter(cell) === null ? standing : 'stopped';
  return (
    <button
      type="button"
      className="row"
      aria-current={isSelected}
      onClick={() => view.send({ kind: 'jump', cellId, line: null })}
    >
      {isNote ? <span /> : <Dot status={status} />}
      <span className={isNote ? 'title' : ''}>
        {label}
        {/* Variants of a group mostly define the same names. */}
        {cell.variantName !== null && ` · ${cell.variantName}`}
      </span>
      <small>{isNote ? '' : note}</small>
    </button>
  );
}
