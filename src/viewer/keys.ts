// What each key does. Pure: a key and what is on the screen in, something to do out.
import type { View, ViewEvent } from './view.ts';

export interface PressedKey {
  readonly upArrow?: boolean;
  readonly downArrow?: boolean;
  readonly leftArrow?: boolean;
  readonly rightArrow?: boolean;
  readonly pageUp?: boolean;
  readonly pageDown?: boolean;
  readonly escape?: boolean;
}

/** What of the screen decides what a key means. */
export interface Scene {
  readonly order: readonly string[];
  /** How far each pane can be scrolled. */
  readonly most: { readonly top: number; readonly bottom: number };
  readonly pageHeight: number;
  readonly table: { readonly columns: readonly string[]; readonly total: number } | null;
}

export type Action =
  | ViewEvent
  | { readonly kind: 'quit' }
  | { readonly kind: 'resync' }
  | { readonly kind: 'saveTable' };

export const keysHelp: readonly (readonly [string, string])[] = [
  ['1', 'cells (↑ ↓ selects)'],
  ['2 3', 'source, source of the tests'],
  ['4 5 6 7', 'output, console, agent, test results'],
  ['↑ ↓ PgUp PgDn', 'scroll the pane that has the focus'],
  ['← →', 'table: choose a column'],
  ['n p s e', 'table: next page, previous page, sort by the column, save as CSV'],
  ['f', 'follow the cell that runs'],
  ['d', 'how cells depend on each other'],
  ['i', 'enlarge the picture'],
  ['r', 'ask for the state anew; reopen a closed session'],
  ['[ ] - = \\', 'narrower, wider list; shorter, taller source; as it was'],
  ['?', 'this help'],
  ['Esc', 'back'],
  ['q', 'quit'],
];

const simple: Readonly<Record<string, Action>> = {
  '1': { kind: 'focusList' },
  '2': { kind: 'top', tab: 'source' },
  '3': { kind: 'top', tab: 'tests' },
  '4': { kind: 'bottom', tab: 'output' },
  '5': { kind: 'bottom', tab: 'console' },
  '6': { kind: 'bottom', tab: 'agent' },
  '7': { kind: 'bottom', tab: 'results' },
  f: { kind: 'follow' },
  d: { kind: 'overlay', overlay: 'graph' },
  i: { kind: 'overlay', overlay: 'image' },
  '?': { kind: 'overlay', overlay: 'help' },
  r: { kind: 'resync' },
  '[': { kind: 'cut', list: -4 },
  ']': { kind: 'cut', list: 4 },
  '-': { kind: 'cut', top: -5 },
  '=': { kind: 'cut', top: 5 },
  '\\': { kind: 'uncut' },
};

export function actionOf(input: string, key: PressedKey, view: View, scene: Scene): Action | null {
  if (input === 'q') return view.overlay === null ? { kind: 'quit' } : { kind: 'back' };
  if (key.escape) return { kind: 'back' };
  const by = stepOf(key, scene.pageHeight);
  if (by !== 0) return moved(by, view, scene);
  const turn = Number(key.rightArrow ?? false) - Number(key.leftArrow ?? false);
  if (scene.table && view.bottom === 'output') {
    const { columns, total } = scene.table;
    if (turn !== 0) return { kind: 'column', by: turn, count: columns.length };
    if (input === 'n') return { kind: 'page', by: 1, total };
    if (input === 'p') return { kind: 'page', by: -1, total };
    if (input === 'e') return { kind: 'saveTable' };
    const column = columns[view.table.column];
    if (input === 's' && column !== undefined) return { kind: 'sort', column };
  }
  return simple[input] ?? null;
}

function stepOf(key: PressedKey, page: number): number {
  if (key.upArrow) return -1;
  if (key.downArrow) return 1;
  if (key.pageUp) return -page;
  return key.pageDown ? page : 0;
}

function moved(by: number, view: View, { order, most }: Scene): Action {
  if (view.focus === 'list' || view.overlay === 'graph') return { kind: 'step', by, order };
  // The console counts from its end, which is what one wants to see of it.
  const direction = view.focus === 'bottom' && view.bottom === 'console' ? -1 : 1;
  return { kind: 'scroll', pane: view.focus, by: by * direction, most: most[view.focus] };
}
