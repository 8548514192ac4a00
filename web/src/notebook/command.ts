// What a command is, and the shapes that most of them have.
import type { NeededScope } from '../scopes.ts';
import type { CellModel } from '../state/index.ts';
import type { NotebookSession } from './session.ts';
import type { OverlayName, PanelName, ToolName } from './view.ts';

export interface Command {
  readonly id: string;
  readonly title: string;
  readonly group: 'Run' | 'Cells' | 'Go' | 'View' | 'Notebook';
  /** What the server asks of whoever does it; nothing of those who only look. */
  readonly needs?: NeededScope;
  /** Keys of command mode; with `Mod` or `Shift-Enter` they work while editing too. */
  readonly keys: readonly string[];
  /** What it is called where that depends on where the person is. */
  readonly titleNow?: (session: NotebookSession) => string;
  readonly run: (session: NotebookSession) => void;
  readonly isOff?: (session: NotebookSession) => boolean;
}

/** Does something with the selected cell, if there is one. */
export const selected =
  (work: (session: NotebookSession, cellId: string) => unknown): Command['run'] =>
  (session) => {
    const cellId = session.view.get().selected;
    if (cellId !== null) work(session, cellId);
  };

/** An empty notebook has no cell that could be selected, and takes its first. */
export const besideSelected =
  (work: (session: NotebookSession, cellId: string | null) => unknown): Command['run'] =>
  (session) =>
    work(session, session.view.get().selected);

export const selectedIsNot =
  (test: (cell: CellModel) => boolean): ((session: NotebookSession) => boolean) =>
  ({ store, view }) => {
    const cell = store.get().cells.get(view.get().selected ?? '');
    return cell === undefined || !test(cell);
  };

export const panel =
  (name: PanelName): Command['run'] =>
  ({ view }) =>
    view.send({ kind: 'panel', panel: view.get().panel === name ? null : name });

export const overlay =
  (name: OverlayName): Command['run'] =>
  ({ view }) =>
    view.send({ kind: 'overlay', overlay: name });

export const tool = (name: ToolName): Command['run'] =>
  selected(({ view }, cellId) =>
    view.send({ kind: 'tool', cellId, tool: view.get().tools.get(cellId) === name ? null : name }),
  );
