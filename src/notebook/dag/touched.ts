// What differs between two lists of cells, as far as the graph can see.
import { type ContributionChange, contribution, noContribution } from './names.ts';
import type { Dag, DagCell } from './types.ts';
import { sameRole, type Variants } from './variants.ts';

/** Structural: it came, went, moved or took another role, and all its names count as changed. */
export interface Touched extends ContributionChange {
  /** The places between which its definitions may have come or gone. */
  readonly from: number;
  readonly to: number;
}

/** The stretch outside of which both lists hold the same cells by id; null when that is all of them. */
export interface Window {
  readonly start: number;
  readonly oldEnd: number;
  readonly newEnd: number;
}

export function movedWindow(old: readonly DagCell[], now: readonly DagCell[]): Window | null {
  if (old === now) return null;
  let start = 0;
  while (start < old.length && start < now.length && old[start]?.id === now[start]?.id) start += 1;
  if (start === old.length && start === now.length) return null;
  let tail = 0;
  const most = Math.min(old.length, now.length) - start;
  while (tail < most && old[old.length - 1 - tail]?.id === now[now.length - 1 - tail]?.id) tail += 1;
  return { start, oldEnd: old.length - tail, newEnd: now.length - tail };
}

export function findTouched(
  before: Dag,
  cells: readonly DagCell[],
  moved: Window | null,
  position: ReadonlyMap<string, number>,
  variants: Variants,
): Touched[] {
  const touched: Touched[] = [];
  const oldRoles = before.state.roles;
  for (const [place, cell] of cells.entries()) {
    const isInWindow = moved !== null && place >= moved.start && place < moved.newEnd;
    const oldPlace = before.state.position.get(cell.id);
    const old = oldPlace === undefined ? undefined : before.cells[oldPlace];
    const [oldRole, role] = [oldRoles.get(cell.id), variants.roles.get(cell.id)];
    const hasNewRole = !sameRole(oldRole, role);
    if (old === cell && !isInWindow && !hasNewRole) continue;
    touched.push({
      id: cell.id,
      old: old === undefined ? noContribution : contribution(old, oldRole),
      now: contribution(cell, role),
      isStructural: isInWindow || hasNewRole,
      from: isInWindow ? moved.start : place,
      to: hasNewRole ? cells.length : isInWindow ? moved.newEnd : place,
    });
  }
  if (moved === null) return touched;
  for (const cell of before.cells.slice(moved.start, moved.oldEnd)) {
    if (position.has(cell.id)) continue;
    const old = contribution(cell, oldRoles.get(cell.id));
    const to = oldRoles.has(cell.id) ? cells.length : moved.newEnd;
    touched.push({ id: cell.id, old, now: noContribution, isStructural: true, from: moved.start, to });
  }
  return touched;
}
