// What the person at the terminal looks at: which cell, which tabs, how the screen is cut, which page of a table. One plain
// value; `reduceView` is pure.
import { type NotebookModel, runningCell } from '../model/index.ts';
import type { TableSort } from './server.ts';

export type Focus = 'list' | 'top' | 'bottom';
export type TopTab = 'source' | 'tests';
export type BottomTab = 'output' | 'console' | 'agent' | 'results';
export type Overlay = 'graph' | 'image' | 'help';

export interface View {
  readonly selected: string | null;
  /** The running cell is selected by itself. */
  readonly follow: boolean;
  /** The last cell that was followed: one that runs for a moment only is not missed. */
  readonly followed: string | null;
  readonly focus: Focus;
  readonly top: TopTab;
  readonly bottom: BottomTab;
  readonly listPercent: number;
  readonly topPercent: number;
  readonly overlay: Overlay | null;
  /** Lines that each pane is scrolled by; the console counts from its end. */
  readonly scroll: { readonly top: number; readonly bottom: number };
  readonly table: { readonly offset: number; readonly column: number; readonly sort: TableSort | null };
  /** What became of the last key, where that does not show. */
  readonly message: string | null;
}

export const rowsOfPage = 50;

const firstTable: View['table'] = { offset: 0, column: 0, sort: null };
const firstCut = { listPercent: 38, topPercent: 50 };
const unscrolled = { top: 0, bottom: 0 };

export const firstView: View = {
  selected: null,
  follow: true,
  followed: null,
  focus: 'list',
  top: 'source',
  bottom: 'output',
  ...firstCut,
  overlay: null,
  scroll: unscrolled,
  table: firstTable,
  message: null,
};

export type ViewEvent =
  | { readonly kind: 'step'; readonly by: number; readonly order: readonly string[] }
  | { readonly kind: 'model'; readonly model: NotebookModel }
  | { readonly kind: 'focusList' }
  | { readonly kind: 'top'; readonly tab: TopTab }
  | { readonly kind: 'bottom'; readonly tab: BottomTab }
  | { readonly kind: 'scroll'; readonly pane: 'top' | 'bottom'; readonly by: number; readonly most: number }
  | { readonly kind: 'follow' }
  | { readonly kind: 'overlay'; readonly overlay: Overlay }
  | { readonly kind: 'back' }
  | { readonly kind: 'cut'; readonly list?: number; readonly top?: number }
  | { readonly kind: 'uncut' }
  | { readonly kind: 'page'; readonly by: number; readonly total: number }
  | { readonly kind: 'column'; readonly by: number; readonly count: number }
  | { readonly kind: 'sort'; readonly column: string }
  | { readonly kind: 'say'; readonly message: string };

const within = (value: number, low: number, high: number): number => Math.max(low, Math.min(value, high));

export function reduceView(view: View, event: ViewEvent): View {
  switch (event.kind) {
    case 'model':
      return shown(view, event.model);
    case 'step': {
      const at = event.order.indexOf(view.selected ?? '') + event.by;
      // Whoever chooses a cell wants to stay there.
      return select({ ...view, follow: false }, event.order[within(at, 0, event.order.length - 1)] ?? null);
    }
    case 'focusList':
      return { ...view, focus: 'list' };
    case 'top':
      return { ...view, focus: 'top', top: event.tab, scroll: { ...view.scroll, top: 0 } };
    case 'bottom':
      return { ...view, focus: 'bottom', bottom: event.tab, scroll: { ...view.scroll, bottom: 0 } };
    case 'scroll': {
      const to = within(view.scroll[event.pane] + event.by, 0, event.most);
      return { ...view, scroll: { ...view.scroll, [event.pane]: to } };
    }
    case 'follow':
      return { ...view, follow: !view.follow };
    case 'overlay':
      return { ...view, overlay: view.overlay === event.overlay ? null : event.overlay };
    case 'back':
      return { ...view, overlay: null, message: null };
    case 'cut':
      return {
        ...view,
        listPercent: within(view.listPercent + (event.list ?? 0), 20, 75),
        topPercent: within(view.topPercent + (event.top ?? 0), 20, 75),
      };
    case 'uncut':
      return { ...view, ...firstCut };
    case 'page': {
      const last = Math.max(0, Math.ceil(event.total / rowsOfPage) - 1) * rowsOfPage;
      const offset = within(view.table.offset + event.by * rowsOfPage, 0, last);
      return { ...view, table: { ...view.table, offset }, scroll: { ...view.scroll, bottom: 0 } };
    }
    case 'column':
      return {
        ...view,
        table: { ...view.table, column: within(view.table.column + event.by, 0, Math.max(0, event.count - 1)) },
      };
    case 'sort':
      return { ...view, table: { ...view.table, offset: 0, sort: nextSort(view.table.sort, event.column) } };
    case 'say':
      return { ...view, message: event.message };
  }
}

/** Ascending, descending, off. */
function nextSort(before: TableSort | null, column: string): TableSort | null {
  if (before?.column !== column) return { column, direction: 'asc' };
  return before.direction === 'asc' ? { column, direction: 'desc' } : null;
}

function select(view: View, selected: string | null): View {
  return selected === view.selected ? view : { ...view, selected, scroll: unscrolled, table: firstTable };
}

/** The notebook changed under the view: follows what runs, and leaves a cell that is gone. */
function shown(view: View, model: NotebookModel): View {
  const started = runningCell(model)?.id ?? model.lastStarted;
  const isNews = started !== null && (started !== view.followed || model.cells.get(started)?.status === 'running');
  if (view.follow && isNews && model.cells.has(started)) return { ...select(view, started), followed: started };
  return view.selected !== null && model.cells.has(view.selected) ? view : select(view, model.order[0] ?? null);
}
