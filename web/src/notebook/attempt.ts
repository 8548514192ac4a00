// A change by a person: one after the other, and told when it could not be made.
import { messageOf } from '../api/index.ts';
import type { NotebookSession } from './session.ts';

export async function attempt(session: NotebookSession, work: () => Promise<void>): Promise<void> {
  try {
    await session.undo.inTurn(work);
  } catch (error) {
    session.typeahead.drop();
    session.store.send({ kind: 'noticed', text: messageOf(error), tone: 'error' });
  }
}
