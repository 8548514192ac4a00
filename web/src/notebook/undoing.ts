// Undo and redo, by whoever presses the keys.
import { attempt } from './attempt.ts';
import { reversed } from './reversed.ts';
import type { NotebookSession } from './session.ts';
import { NotDone } from './undoStack.ts';

/** A server that is started again knows nothing of how cells were deleted before. */
const nothingTo = (what: 'undo' | 'redo', { isContinued }: NotebookSession): string =>
  isContinued ? `Nothing to ${what} since the server was restarted.` : `Nothing to ${what}.`;

export function takeBack(session: NotebookSession): Promise<void> {
  session.typeahead.wait('cell');
  return attempt(session, async () => {
    const label = await session.undo.takeBack((work) => reversed(session, work)).catch(told(session, 'undo'));
    if (label === false) return;
    const text = label === undefined ? nothingTo('undo', session) : `Undid ${label}.`;
    session.store.send({ kind: 'noticed', text, tone: 'plain' });
    session.typeahead.replay(() => {});
  });
}

/** It stays where it is, and can be tried again. */
const told =
  (session: NotebookSession, what: 'undo' | 'redo') =>
  (error: unknown): false => {
    if (!(error instanceof NotDone)) throw error;
    session.typeahead.drop();
    const text = `Could not ${what} ${error.label}: ${error.message}`;
    session.store.send({
      kind: 'noticed',
      text,
      tone: 'error',
      ...(what === 'undo' ? { command: 'cell.skipUndo' } : {}),
    });
    return false;
  };

/** What lies behind the step that failed is reached again. */
export function skipStuck(session: NotebookSession): void {
  if (!session.undo.isStuck()) return;
  const label = session.undo.skip();
  session.store.send({ kind: 'noticed', text: `Skipped ${label}: it stays as it is.`, tone: 'plain' });
}

export function doAgain(session: NotebookSession): Promise<void> {
  session.typeahead.wait('cell');
  return attempt(session, async () => {
    const label = await session.undo.doAgain().catch(told(session, 'redo'));
    if (label === false) return;
    const text = label === undefined ? nothingTo('redo', session) : `Redid ${label}.`;
    session.store.send({ kind: 'noticed', text, tone: 'plain' });
    session.typeahead.replay(() => {});
  });
}
