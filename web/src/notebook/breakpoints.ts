// Lines that a run of a cell stops at. They are the page's, for as long as it is open.
import { type CellLanguage, can } from '../../../src/cellLanguages.ts';
import type { NotebookSession } from './session.ts';

export const noBreakpoints: readonly number[] = [];

export const mayStop = ({ isReadOnly }: NotebookSession, language: CellLanguage): boolean =>
  !isReadOnly && can(language, 'be debugged');

/** Those of all cells, as a run takes them along. */
export function withBreakpoints({ view }: NotebookSession): { breakpoints?: Record<string, readonly number[]> } {
  const { breakpoints } = view.get();
  return breakpoints.size === 0 ? {} : { breakpoints: Object.fromEntries(breakpoints) };
}

export function toggleBreakpoint({ view }: NotebookSession, cellId: string, line: number): void {
  const lines = view.get().breakpoints.get(cellId) ?? noBreakpoints;
  const others = lines.filter((one) => one !== line);
  const next = others.length === lines.length ? [...lines, line].sort((a, b) => a - b) : others;
  view.send({ kind: 'breakpoints', cellId, lines: next });
}

export function toggleAtCursor(session: NotebookSession, cellId: string): void {
  const state = session.editing.state?.();
  if (state) toggleBreakpoint(session, cellId, state.doc.lineAt(state.selection.main.head).number);
}

/** Nobody writes in a cell that can stop. */
export function cannotStopAtCursor(session: NotebookSession): boolean {
  const cell = session.store.get().cells.get(session.view.get().selected ?? '');
  return session.editing.state === null || cell === undefined || !mayStop(session, cell.language);
}
