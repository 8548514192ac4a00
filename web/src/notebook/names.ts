// Names across cells: where one comes from, and the same name written otherwise everywhere.
import type { NamePlace, RenamePreviewBody } from '../../../src/protocol/index.ts';
import * as api from '../api/index.ts';
import { textOf } from '../state/index.ts';
import { nameAtCursor } from './nameAtCursor.ts';
import type { NotebookSession } from './session.ts';
import { replaced } from './texts.ts';

/** The definition that a line reads: the last one at or above it in its cell, else in the nearest cell above, else the first. */
export function definitionFor(
  places: readonly NamePlace[],
  order: readonly string[],
  at: { readonly cellId: string; readonly line: number },
): NamePlace | undefined {
  const definitions = places.filter(({ defines }) => defines);
  const here = order.indexOf(at.cellId);
  const own = definitions.findLast(({ cell_id, line }) => cell_id === at.cellId && line < at.line);
  const above = definitions.findLast(({ cell_id }) => order.indexOf(cell_id) < here);
  return own ?? above ?? definitions.find(({ cell_id }) => cell_id === at.cellId) ?? definitions[0];
}

export async function goToDefinition(session: NotebookSession): Promise<void> {
  const { selected } = session.view.get();
  const name = nameAtCursor(session);
  const state = session.editing.state?.() ?? session.editors.get(selected ?? '');
  const tell = (text: string) => session.store.send({ kind: 'noticed', text, tone: 'plain' });
  if (name === null || selected === null || !state) return tell('Put the cursor on a name first.');
  session.link.flush();
  try {
    const { places } = await api.readNamePlaces(session.sessionId, name);
    const line = state.doc.lineAt(state.selection.main.head).number;
    const found = definitionFor(places, session.store.get().order, { cellId: selected, line });
    if (found) session.view.send({ kind: 'jump', cellId: found.cell_id, line: found.line, name });
    else tell(`No cell defines ${name}.`);
  } catch (error) {
    session.store.send({ kind: 'noticed', text: api.messageOf(error), tone: 'error' });
  }
}

/** As it was looked at; gives why not, when it could not be: the notebook is another by now. */
export async function renameEverywhere(session: NotebookSession, plan: RenamePreviewBody): Promise<string | null> {
  let problem: string | null = null;
  await session.undo.inTurn(async () => {
    try {
      const model = session.store.get();
      if (plan.changes.some(({ cell_id, before }) => textOf(model, cell_id) !== before))
        throw new Error('A cell has changed since this preview. Open it again.');
      const { changes } = await api.renameName(session.sessionId, plan);
      const texts = (side: 'before' | 'after') => new Map(changes.map((one) => [one.cell_id, one[side]]));
      replaced(session, texts('before'), texts('after'), {
        label: `renaming ${plan.name} to ${plan.to}`,
        done: `${plan.name} is ${plan.to} in ${changes.length} ${changes.length === 1 ? 'cell' : 'cells'}.`,
      });
    } catch (error) {
      problem = api.messageOf(error);
    }
  });
  return problem;
}
