// Run by the crash test: edits a notebook at random, for ever, and says before each edit what the notebook will then
// hold and after it that it does.
import { randomNumbers } from '../testing.ts';
import { addCell, deleteCell, type Notebook, readNotebook, renameNotebook, setCellSource } from './index.ts';

const [directory = '', seed = '0'] = process.argv.slice(2);
const random = randomNumbers(Number(seed));
const below = (limit: number): number => Math.floor(random() * limit);

interface State {
  name: string;
  sources: Record<string, string>;
}

const say = (kind: 'about to' | 'done', state: State): void => {
  process.stdout.write(`${JSON.stringify({ kind, state })}\n`);
};

let notebook: Notebook = await readNotebook(directory);
const stateOf = ({ name, cells }: Notebook): State => ({
  name,
  sources: Object.fromEntries(cells.map(({ id, source }) => [id, source])),
});

say('done', stateOf(notebook));
for (let number = 0; ; number += 1) {
  const state = stateOf(notebook);
  const cell = notebook.cells[below(notebook.cells.length)];
  const choice = below(4);
  if (choice === 0 || cell === undefined) {
    const cellId = `${seed}-${number}`;
    state.sources[cellId] = '';
    say('about to', state);
    ({ notebook } = await addCell(notebook, { author: 'test' }, { cellId }));
  } else if (choice === 1) {
    const source = 'x = 1 # é\n'.repeat(below(5000));
    state.sources[cell.id] = source;
    say('about to', state);
    // The same editor as before: one file, one step.
    notebook = await setCellSource(notebook, cell.id, source, cell.updatedBy);
  } else if (choice === 2) {
    state.name = `name ${number}`;
    say('about to', state);
    notebook = await renameNotebook(notebook, state.name);
  } else {
    delete state.sources[cell.id];
    say('about to', state);
    notebook = await deleteCell(notebook, cell.id);
  }
  say('done', state);
}
