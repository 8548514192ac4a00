// What is done with cells and with the names in them: added, moved, changed, looked into.
import { can, cellLanguages, kindOf, languageFacts, usualLanguage } from '../../../src/cellLanguages.ts';
import type { CellModel } from '../state/index.ts';
import { assistCommands } from './assistCommands.ts';
import { copyCells, cutCells, pasteCells } from './clipboard.ts';
import { besideSelected, type Command, overlay, selected, selectedIsNot, tool } from './command.ts';
import { nameAtCursor } from './nameAtCursor.ts';
import { goToDefinition } from './names.ts';
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

const collapse: Command['run'] = (session) => {
  const cellIds = chosen(session);
  const { collapsed } = session.view.get();
  session.view.send({ kind: 'collapse', cellIds, collapsed: !cellIds.every((id) => collapsed.has(id)) });
};

/** The cell is chosen and waits, as in Jupyter: Enter edits it. */
const addChosen = (session: NotebookSession, after: string | null) =>
  addCell(session, after, usualLanguage, undefined, 'command');

/** A key of their own have the usual one and notes. */
const withoutKey = cellLanguages.filter((language) => language !== usualLanguage && kindOf(language) !== 'text');

export const cellCommands: readonly Command[] = [
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
];
