// Every action of the notebook page, once: the palette lists them, the help shows their keys, the keyboard runs them.
import { reportOf } from '../importReports.ts';
import { appHash, go } from '../route.ts';
import { isSharedServer } from '../scopes.ts';
import { outdated, runningCell } from '../state/index.ts';
import { nextTheme, printPage } from '../ui/index.ts';
import { cannotStopAtCursor, toggleAtCursor } from './breakpoints.ts';
import { cellCommands } from './cellCommands.ts';
import { type Command, overlay, panel, selected } from './command.ts';
import { exportForms, exportNotebook } from './exporting.ts';
import { walk, widen } from './moving.ts';
import { rerunEverything, runAndAdvance, runAndInsert, runCell, runOutdated, stopRunning } from './running.ts';
import type { NotebookSession } from './session.ts';
import { turnReactive } from './switching.ts';

export const nameFieldId = 'notebook-name';

/** The name stands in the bar and is changed there. */
function rename(): void {
  const field = document.getElementById(nameFieldId);
  if (field instanceof HTMLInputElement) field.select();
}

/** Only a notebook that came from elsewhere has one. */
const showReport = (session: NotebookSession): void => {
  if (reportOf(session.store.get().path)) overlay('report')(session);
  else session.store.send({ kind: 'noticed', tone: 'plain', text: 'This notebook was not imported in this tab.' });
};

const isIdle = ({ store }: NotebookSession): boolean => runningCell(store.get()) === undefined;

export const commands: readonly Command[] = [
  {
    id: 'run.advance',
    group: 'Run',
    needs: 'notebook:execute',
    title: 'Run, select next',
    keys: ['Shift-Enter'],
    run: selected(runAndAdvance),
  },
  {
    id: 'run.stay',
    group: 'Run',
    needs: 'notebook:execute',
    title: 'Run and stay',
    keys: ['Mod-Enter'],
    run: selected((s, id) => runCell(s, id)),
  },
  {
    id: 'run.insert',
    group: 'Run',
    needs: 'notebook:execute',
    title: 'Run and add a cell below',
    keys: ['Alt-Enter'],
    run: selected(runAndInsert),
  },
  {
    id: 'run.rerun',
    group: 'Run',
    needs: 'notebook:execute',
    title: 'Run again without the cache',
    keys: ['Mod-Shift-Enter'],
    run: selected((s, id) => runCell(s, id, 'cell_execute_rerun')),
  },
  {
    id: 'run.force',
    group: 'Run',
    needs: 'notebook:execute',
    title: 'Run only this cell, with inputs as they are',
    keys: [],
    run: selected((s, id) => runCell(s, id, 'cell_execute_force')),
  },
  {
    id: 'run.breakpoint',
    group: 'Run',
    title: 'Set or remove a breakpoint at the cursor',
    keys: ['F9'],
    run: selected(toggleAtCursor),
    isOff: cannotStopAtCursor,
  },
  {
    id: 'run.outdated',
    group: 'Run',
    needs: 'notebook:execute',
    title: 'Run what is not up to date',
    keys: ['Shift-r'],
    run: runOutdated,
    isOff: ({ store }) => outdated(store.get()).count === 0,
  },
  {
    id: 'run.everything',
    group: 'Run',
    needs: 'notebook:execute',
    title: 'Run everything again, without the cache',
    keys: [],
    run: rerunEverything,
  },
  {
    id: 'run.reactive',
    group: 'Run',
    needs: 'notebook:write',
    title: 'Let cheap cells follow changes, or stop that',
    keys: [],
    run: (session) => void turnReactive(session),
  },
  {
    id: 'run.stop',
    group: 'Run',
    needs: 'notebook:execute',
    title: 'Stop what runs',
    keys: ['i i'],
    run: stopRunning,
    isOff: isIdle,
  },
  {
    id: 'run.impact',
    group: 'Run',
    needs: 'notebook:execute',
    title: 'Show what a run would touch',
    keys: ['Shift-i'],
    run: selected((s, id) => s.link.send('impact_preview_request', { cell_id: id })),
  },
  ...cellCommands,

  { id: 'go.next', group: 'Go', title: 'Next cell', keys: ['j', 'ArrowDown'], run: (s) => walk(s, 1) },
  { id: 'go.previous', group: 'Go', title: 'Previous cell', keys: ['k', 'ArrowUp'], run: (s) => walk(s, -1) },
  { id: 'go.first', group: 'Go', title: 'First cell', keys: ['g g', 'Home'], run: (s) => walk(s, -Infinity) },
  { id: 'go.last', group: 'Go', title: 'Last cell', keys: ['Shift-g', 'End'], run: (s) => walk(s, Infinity) },
  {
    id: 'go.widen',
    group: 'Go',
    title: 'Extend selection down',
    keys: ['Shift-j', 'Shift-ArrowDown'],
    run: (s) => widen(s, 1),
  },
  {
    id: 'go.widenUp',
    group: 'Go',
    title: 'Extend selection up',
    keys: ['Shift-k', 'Shift-ArrowUp'],
    run: (s) => widen(s, -1),
  },
  {
    id: 'go.edit',
    group: 'Go',
    title: 'Edit the cell',
    keys: ['Enter'],
    run: selected(({ view }, cellId) => view.send({ kind: 'select', cellId, mode: 'edit' })),
  },

  { id: 'view.palette', group: 'View', title: 'Command palette', keys: ['Mod-k', 'p'], run: overlay('palette') },
  {
    id: 'view.find',
    group: 'View',
    title: 'Find and replace in all cells',
    keys: ['Mod-f', '/'],
    run: overlay('find'),
  },
  { id: 'view.keys', group: 'View', title: 'Keyboard shortcuts', keys: ['?'], run: overlay('shortcuts') },
  { id: 'view.outline', group: 'View', title: 'Outline', keys: ['1'], run: panel('outline') },
  { id: 'view.graph', group: 'View', title: 'Graph of cells', keys: ['2'], run: panel('graph') },
  { id: 'view.variables', group: 'View', title: 'Variables', keys: ['3'], run: panel('variables') },
  { id: 'view.files', group: 'View', title: 'Files of the notebook', keys: ['4'], run: panel('files') },
  { id: 'view.environment', group: 'View', title: 'Environment and packages', keys: ['5'], run: panel('environment') },
  { id: 'view.profile', group: 'View', title: 'Where the time went', keys: ['6'], run: panel('profile') },
  { id: 'view.settings', group: 'View', title: 'Settings of the notebook', keys: ['7'], run: panel('settings') },
  { id: 'view.workers', group: 'View', title: 'Workers and clusters', keys: ['8'], run: panel('workers') },
  {
    id: 'view.numbers',
    group: 'View',
    title: 'Line numbers',
    keys: ['l'],
    run: ({ view }) => view.send({ kind: 'lineNumbers' }),
  },
  { id: 'view.theme', group: 'View', title: 'Light, dark or as the system', keys: [], run: () => void nextTheme() },

  { id: 'notebook.home', group: 'Notebook', title: 'All notebooks', keys: ['h'], run: () => go('#/') },
  {
    id: 'notebook.app',
    group: 'Notebook',
    title: 'Reading view without code',
    keys: [],
    run: (s) => go(appHash(s.sessionId)),
  },
  {
    id: 'notebook.print',
    group: 'Notebook',
    title: 'Print all cells',
    keys: ['Mod-p'],
    run: () => void printPage(),
  },
  { id: 'notebook.share', group: 'Notebook', title: 'Share …', keys: [], run: overlay('share') },
  {
    id: 'notebook.rename',
    group: 'Notebook',
    needs: 'notebook:write',
    title: 'Rename this notebook',
    keys: [],
    run: rename,
  },
  ...exportForms.map(
    ([format, title]): Command => ({
      id: `notebook.export.${format}`,
      group: 'Notebook',
      title,
      keys: [],
      run: ({ sessionId }) => exportNotebook(sessionId, format),
    }),
  ),
  { id: 'notebook.report', group: 'Notebook', title: 'What the import changed', keys: [], run: showReport },
  {
    id: 'notebook.delete',
    group: 'Notebook',
    needs: 'notebook:write',
    title: 'Delete this notebook …',
    keys: [],
    run: overlay('delete'),
    isOff: isSharedServer,
  },
];

export const commandOf = (id: string): Command | undefined => commands.find((command) => command.id === id);
