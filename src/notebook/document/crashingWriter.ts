// Run by the crash test: edits a notebook at random, for ever, and tells before each edit what the notebook will then
// hold and after it that it does.
import { hash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { randomNumbers } from '../testing.ts';
import { addCell, deleteCell, type Notebook, readNotebook, renameNotebook, setCellSource } from './index.ts';

/** A notebook as far as the crash test can see it. */
export type Visible = Pick<Notebook, 'name'> & { readonly cells: readonly { id: string; source: string }[] };

export function digestOf({ name, cells }: Visible): string {
  return hash('sha256', JSON.stringify([name, ...cells.map(({ id, source }) => [id, source])]));
}

/** At once and in one piece: a killed process must not take half a line with it. */
function tell(kind: 'begins' | 'done', state: Visible): void {
  writeSync(1, `${kind} ${digestOf(state)}\n`);
}

async function edit(notebook: Notebook, random: () => number, name: string): Promise<Notebook> {
  const below = (limit: number): number => Math.floor(random() * limit);
  const { cells } = notebook;
  const cell = cells[below(cells.length)];
  const choice = below(4);
  if (choice === 0 || cell === undefined) {
    tell('begins', { ...notebook, cells: [...cells, { id: name, source: '' }] });
    return (await addCell(notebook, { author: 'test' }, { cellId: name })).notebook;
  }
  if (choice === 1) {
    const source = 'x = 1 # é\n'.repeat(below(5000));
    tell('begins', { ...notebook, cells: cells.map((one) => (one === cell ? { id: one.id, source } : one)) });
    // The same editor as before: one file, one step.
    return setCellSource(notebook, cell.id, source, cell.updatedBy);
  }
  if (choice === 2) {
    tell('begins', { ...notebook, name });
    return renameNotebook(notebook, name);
  }
  tell('begins', { ...notebook, cells: cells.filter((one) => one !== cell) });
  return deleteCell(notebook, cell.id);
}

if (import.meta.main) {
  const [directory = '', seed = '0'] = process.argv.slice(2);
  const random = randomNumbers(Number(seed));
  let notebook = await readNotebook(directory);
  for (let number = 0; ; number += 1) {
    tell('done', notebook);
    notebook = await edit(notebook, random, `${seed}-${number}`);
  }
}
