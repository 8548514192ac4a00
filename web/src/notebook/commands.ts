// Every action of the notebook page, once: the palette lists them, the help shows their keys, the keyboard runs them.
import { can, cellLanguages, kindOf, languageFacts, usualLanguage } from '../../../src/cellLanguages.ts';
import { reportOf } from '../importReports.ts';
import { appHash, go } from '../route.ts';
import { isSharedServer } from '../scopes.ts';
import { type CellModel, outdated, runningCell } from '../state/index.ts';
import { nextTheme, printPage } from '../ui/index.ts';
import { assistCommands } from './assistCommands.ts';
import { cannotStopAtCursor, toggleAtCursor } from './breakpoints.ts';
import { copyCells, cutCells, pasteCells } from './clipboard.ts';
import { besideSelected, type Command, overlay, panel, selected, selectedIsNot, tool } from './command.ts';
import { exportForms, exportNotebook } from './exporting.ts';
import { walk, widen } from './moving.ts';
import { nameAtCursor } from './nameAtCursor.ts';
import { goToDefinition } from './names.ts';
import { turnReactive } from './reactiveSwitch.ts';
import { rerunEverything, runAndAdvance, runAndInsert, runCell, runOutdated, stopRunning } from './running.ts';
import type { NotebookSession } from './session.ts';
import {
  addCell,
  addCellAbove,
  changeLanguage,
  chosen,
  deleteCells,
  duplicateCells,
  mergeWithNext,
  moveCells,
  splitCell,
} from './structure.ts';
import { formatCell } from './texts.ts';
import { doAgain, skipStuck, takeBack } from './undoing.ts';

export const isLoop = ({ source }: CellModel): boolean => /^\s*#\s*@loop\s/m.test(source);
export const isVariant = ({ variantGroup }: CellModel): boolean => variantGroup !== null;

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

const collapse: Command['run'] = (session) => {
  const cellIds = chosen(session);
  const { collapsed } = session.view.get();
  session.view.send({ kind: 'collapse', cellIds, collapsed: !cellIds.every((id) => collapsed.has(id)) });
};

const isIdle = ({ store }: NotebookSession): boolean => runningCell(store.get()) === undefined;

/** A key of their own have the usual one and notes. */
/** The cell is chosen and waits, as in Jupyter: Enter edits it. */
const addChosen = (session: NotebookSession, after: string | null) =>
  addCell(session, after, usualLanguage, undefined, 'command');

const withoutKey = cellLanguages.filter((language) => language !== usualLanguage && kindOf(language) !== 'text');

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

  {
    id: 'cell.below',
    group: 'Cells',
    needs: 'notebook:write',
    title: 'Add a cell below',
    keys: ['b'],
    run: besideSelected(addChosen),
  },
  {
    id: 'cell.above',
    group: 'Cells',
    needs: 'notebook:write',
    title: 'Add a cell above',
    keys: ['a'],
    run: besideSelected((s, id) => (id === null ? addChosen(s, id) : addCellAbove(s, id))),
  },
  {
    id: 'cell.note',
    group: 'Cells',
    needs: 'notebook:write',
    title: 'Add a note below',
    keys: ['Shift-b'],
    run: besideSelected((s, id) => addCell(s, id, 'markdown')),
  },
  ...withoutKey.map(
    (language): Command => ({
      id: `cell.${language}.below`,
      group: 'Cells',
      needs: 'notebook:write',
      title: `Add ${languageFacts[language].noun} below`,
      keys: [],
      run: besideSelected((s, id) => addCell(s, id, language)),
    }),
  ),
  {
    id: 'cell.delete',
    group: 'Cells',
    needs: 'notebook:write',
    title: 'Delete',
    keys: ['d d'],
    run: (s) => void deleteCells(s, chosen(s)),
  },
  { id: 'cell.undo', group: 'Cells', needs: 'notebook:write', title: 'Undo', keys: ['z', 'Mod-z'], run: takeBack },
  {
    id: 'cell.redo',
    group: 'Cells',
    needs: 'notebook:write',
    title: 'Redo',
    keys: ['Shift-z', 'Mod-Shift-z', 'Mod-y'],
    run: doAgain,
  },
  {
    id: 'cell.skipUndo',
    group: 'Cells',
    title: 'Skip this step',
    titleNow: () => 'Skip the step that cannot be undone',
    keys: [],
    isOff: ({ undo }) => !undo.isStuck(),
    run: skipStuck,
  },
  {
    id: 'cell.worker',
    group: 'Cells',
    needs: 'notebook:write',
    title: 'Choose where it runs …',
    keys: [],
    run: overlay('worker'),
    isOff: selectedIsNot(({ language }) => can(language, 'run elsewhere')),
  },
  { id: 'cell.cut', group: 'Cells', needs: 'notebook:write', title: 'Cut', keys: ['x'], run: cutCells },
  { id: 'cell.copy', group: 'Cells', title: 'Copy', keys: ['c'], run: copyCells },
  { id: 'cell.paste', group: 'Cells', needs: 'notebook:write', title: 'Paste below', keys: ['v'], run: pasteCells },
  {
    id: 'cell.duplicate',
    group: 'Cells',
    needs: 'notebook:write',
    title: 'Duplicate',
    keys: ['Shift-c'],
    run: (s) => void duplicateCells(s, chosen(s)),
  },
  {
    id: 'cell.up',
    group: 'Cells',
    needs: 'notebook:write',
    title: 'Move up',
    keys: ['Alt-ArrowUp'],
    run: (s) => void moveCells(s, chosen(s), -1),
  },
  {
    id: 'cell.down',
    group: 'Cells',
    needs: 'notebook:write',
    title: 'Move down',
    keys: ['Alt-ArrowDown'],
    run: (s) => void moveCells(s, chosen(s), 1),
  },
  {
    id: 'cell.split',
    group: 'Cells',
    needs: 'notebook:write',
    title: 'Split at the cursor',
    keys: ['Mod-Shift-Minus'],
    run: selected((s, id) => splitCell(s, id, (s.editing.state?.() ?? s.editors.get(id))?.selection.main.head ?? 0)),
  },
  {
    id: 'cell.merge',
    group: 'Cells',
    needs: 'notebook:write',
    title: 'Merge with the cell below',
    keys: ['Shift-m'],
    run: selected(mergeWithNext),
  },
  {
    id: 'cell.markdown',
    group: 'Cells',
    needs: 'notebook:write',
    title: 'Make it a note',
    keys: ['m'],
    run: selected((s, id) => changeLanguage(s, id, 'markdown')),
  },
  {
    id: 'cell.python',
    group: 'Cells',
    needs: 'notebook:write',
    title: 'Make it Python',
    keys: ['y'],
    run: selected((s, id) => changeLanguage(s, id, 'python')),
  },
  {
    id: 'name.definition',
    group: 'Go',
    title: 'Go to the definition',
    titleNow: (s) => `Go to the definition of ${nameAtCursor(s) ?? 'a name'}`,
    keys: ['F12'],
    run: (s) => void goToDefinition(s),
  },
  {
    id: 'name.places',
    group: 'Go',
    title: 'Uses of a name …',
    titleNow: (s) => `Uses of ${nameAtCursor(s) ?? 'a name'} …`,
    keys: ['Shift-F12'],
    run: (s) => s.view.send({ kind: 'overlay', overlay: 'places', subject: nameAtCursor(s) }),
  },
  {
    id: 'name.rename',
    group: 'Cells',
    needs: 'notebook:write',
    title: 'Rename a name in all cells …',
    titleNow: (s) => `Rename ${nameAtCursor(s) ?? 'a name'} in all cells …`,
    keys: ['F2'],
    run: (s) => s.view.send({ kind: 'overlay', overlay: 'rename', subject: nameAtCursor(s) }),
  },
  {
    id: 'cell.explicit',
    group: 'Cells',
    needs: 'notebook:write',
    title: 'Make a name explicit …',
    titleNow: (s) => `Make ${nameAtCursor(s) ?? 'a name'} explicit …`,
    keys: [],
    run: (s) => s.view.send({ kind: 'overlay', overlay: 'explicit', subject: nameAtCursor(s) }),
  },
  ...assistCommands,
  { id: 'cell.collapse', group: 'Cells', title: 'Collapse or open', keys: ['o'], run: collapse },
  {
    id: 'cell.inspect',
    group: 'Cells',
    needs: 'notebook:execute',
    title: 'Inspect its inputs',
    keys: ['Shift-e'],
    run: tool('inspect'),
  },
  { id: 'cell.tests', group: 'Cells', title: 'Tests of the cell', keys: ['t'], run: tool('tests') },
  { id: 'cell.results', group: 'Cells', title: 'Earlier results', keys: ['Shift-h'], run: tool('results') },
  { id: 'cell.comments', group: 'Cells', title: 'Comments', keys: ['Shift-n'], run: tool('comments') },
  {
    id: 'cell.format',
    group: 'Cells',
    needs: 'notebook:write',
    title: 'Format the code',
    keys: ['Shift-Alt-f'],
    run: selected(formatCell),
    isOff: selectedIsNot(({ language }) => can(language, 'be formatted')),
  },
  {
    id: 'cell.iterations',
    group: 'Cells',
    title: 'Iterations of its loop',
    keys: [],
    run: tool('iterations'),
    isOff: selectedIsNot(isLoop),
  },
  {
    id: 'cell.variants',
    group: 'Cells',
    title: 'Variants side by side',
    keys: [],
    run: tool('variants'),
    isOff: selectedIsNot(isVariant),
  },

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
