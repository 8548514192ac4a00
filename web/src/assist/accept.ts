// A proposal is accepted: one change that can be taken back, and that says which model it is from.
import { acceptCell, acceptEdit } from '../api/assist.ts';
import { messageOf } from '../api/index.ts';
import { deleteAdded } from '../notebook/cellsBack.ts';
import type { NotebookSession } from '../notebook/session.ts';
import { replaced } from '../notebook/texts.ts';
import { announce } from '../ui/index.ts';

interface Accepted {
  /** The cell that is changed; null: a new one is added. */
  readonly cellId: string | null;
  readonly after: string | null;
  readonly base: string;
  readonly source: string;
  readonly model: string;
}

/** Gives why not, when it could not be: the cell is another by now, or somebody else's for the moment. */
export async function accept(session: NotebookSession, accepted: Accepted): Promise<string | null> {
  const { cellId, after, base, source, model } = accepted;
  let problem: string | null = null;
  await session.undo.inTurn(async () => {
    try {
      if (cellId === null) {
        const { id } = await acceptCell(session.sessionId, { after_cell_id: after, source, assisted_by: model });
        session.view.send({ kind: 'select', cellId: id });
        session.undo.did('adding a cell', (now) => deleteAdded(session, { [id]: source }, now));
        announce('Cell added');
      } else {
        await acceptEdit(session.sessionId, cellId, { source, base, assisted_by: model });
        replaced(session, new Map([[cellId, base]]), new Map([[cellId, source]]), {
          label: `a change by ${model}`,
          done: `Changed as ${model} proposed.`,
        });
      }
    } catch (error) {
      problem = messageOf(error);
    }
  });
  return problem;
}
