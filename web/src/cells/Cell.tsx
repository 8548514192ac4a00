// One cell: a line of chrome, its source, what it printed and gave. Selected, it is framed; what it is, a stripe tells.

import { memo, useEffect, useRef, useState } from 'react';
import { kindOf } from '../../../src/cellLanguages.ts';
import type { Place } from '../editor/StaticCode.tsx';
import { CascadeQuestion } from '../notebook/CascadeQuestion.tsx';
import { useCell, useModel, useNotebook, useView } from '../notebook/context.ts';
import { type CellModel, duration, labelOf, stoppedAfter, whyStale } from '../state/index.ts';
import { beginPress, whenLetGo } from '../ui/index.ts';
import { CellBar } from './CellBar.tsx';
import { CellOutputs } from './CellOutputs.tsx';
import { CellQuestion } from './CellQuestion.tsx';
import { CellSource } from './CellSource.tsx';
import { CellTools } from './CellTools.tsx';
import { Conflict } from './Conflict.tsx';
import { DragHandle, useDropTarget } from './dragging.tsx';
import { InsertStrip } from './InsertStrip.tsx';
import { JoinNotice } from './JoinNotice.tsx';
import { MarkdownCell } from './MarkdownCell.tsx';
import { VariantTabs } from './VariantTabs.tsx';
import { WidgetCell } from './WidgetCell.tsx';
import './cell.css';

export const Cell = memo(function Cell({ cellId, place, count }: { cellId: string; place: number; count: number }) {
  const session = useNotebook();
  const cell = useCell(cellId);
  const label = useModel((model) => labelOf(model, cellId));
  const stale = useModel((model) => {
    const known = model.cells.get(cellId);
    return known ? whyStale(model, known) : null;
  });
  const isSelected = useView((view) => view.selected === cellId);
  const isMarked = useView((view) => view.marked.has(cellId));
  const isEditing = useView((view) => view.selected === cellId && view.mode === 'edit');
  const isCollapsed = useView((view) => view.collapsed.has(cellId));
  const jump = useView((view) => (view.jump?.cellId === cellId ? view.jump : null));
  const [at, setAt] = useState<Place | null>(null);
  const [isPointedAt, setPointedAt] = useState(false);
  const frame = useRef<HTMLElement>(null);
  const drop = useDropTarget(cellId);

  useEffect(() => {
    const focused = document.activeElement;
    if (
      isSelected &&
      !isEditing &&
      focused !== frame.current &&
      isInPage(focused) &&
      !isControlIn(frame.current, focused)
    )
      frame.current?.focus({ preventScroll: true });
  }, [isSelected, isEditing]);

  // Whoever comes back by a key goes on where the cursor was, and not where they clicked before.
  useEffect(() => (isEditing ? () => setAt(null) : undefined), [isEditing]);

  useEffect(() => {
    if (jump === null) return;
    frame.current?.scrollIntoView({ block: 'nearest' });
    // To a line its editor goes.
    if (jump.line === null) session.view.send({ kind: 'arrived' });
  }, [session, jump]);

  if (!cell) return null;
  const edit = (where: Place | null) => {
    setAt(where);
    session.view.send({ kind: 'select', cellId, mode: 'edit' });
  };
  // They are seen nowhere else, and each costs about as much as the cell's own bar.
  const hasHandles = !session.isReadOnly && (isSelected || isPointedAt);
  const state = stale === null ? cell.status : 'stale';
  const stopped = stoppedAfter(cell);
  const standing =
    stopped !== null ? `stopped after ${duration(stopped)}` : stale !== null ? `stale: ${stale}` : cell.status;
  const classes = [
    'cell',
    state,
    isSelected && 'selected',
    isMarked && 'marked-cell',
    isEditing && 'editing',
    drop.isOver && 'over',
  ];
  return (
    // biome-ignore lint/a11y/useSemanticElements: the list is virtual; its items are placed, and tell their place
    <section
      ref={frame}
      role="listitem"
      data-cell={cellId}
      aria-posinset={place + 1}
      aria-setsize={count}
      aria-label={`${label}, ${cell.language}, ${standing}`}
      aria-current={isSelected ? 'true' : undefined}
      tabIndex={isSelected ? 0 : -1}
      className={classes.filter(Boolean).join(' ')}
      onPointerDown={(event) => {
        beginPress(event);
        if (!isSelected) whenLetGo(() => session.view.send({ kind: 'select', cellId }));
      }}
      // Keys act on the selected cell, so the one with the focus is it. Beside its text they are commands, and it looks like that.
      onFocus={(event) => {
        const isBesideText = isEditing && event.target === frame.current;
        if (!isSelected || isBesideText) whenLetGo(() => session.view.send({ kind: 'select', cellId }));
      }}
      onPointerEnter={() => setPointedAt(true)}
      {...drop.handlers}
    >
      {hasHandles && <DragHandle cellId={cellId} label={label} />}
      {cell.variantGroup !== null && <VariantTabs group={cell.variantGroup} cellId={cell.id} />}
      <CellBar cell={cell} stale={stale} isCollapsed={isCollapsed} />
      {!isCollapsed && (
        <>
          {kindOf(cell.language) === 'text' ? (
            <MarkdownCell cell={cell} isEditing={isEditing} at={at} onEdit={edit} />
          ) : kindOf(cell.language) === 'controls' && !isEditing && hasControls(cell) ? (
            <WidgetCell cell={cell} />
          ) : (
            <CellSource cell={cell} isEditing={isEditing} label={label} at={at} onEdit={edit} />
          )}
          <Conflict cellId={cellId} />
          <CascadeQuestion cellId={cellId} />
          <JoinNotice cell={cell} />
          <CellOutputs cell={cell} />
          <CellQuestion cell={cell} />
          <CellTools cellId={cellId} />
        </>
      )}
      {hasHandles && <InsertStrip after={cellId} />}
    </section>
  );
});

/** Controls that cannot be read are shown as what was written. */
const hasControls = ({ widget }: CellModel): boolean => (widget?.descriptors.length ?? 0) > 0;

/** Focus is only moved when it is nowhere else in particular: not out of a panel or a dialog. */
/** Whoever came to it with the keyboard goes on there. */
const isControlIn = (frame: Element | null, element: Element | null): boolean =>
  frame?.contains(element) === true && element?.matches('input, select, textarea, button, a[href]') === true;

const isInPage = (element: Element | null): boolean =>
  element === null || element === document.body || element.closest('.cells') !== null;
