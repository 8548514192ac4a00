// Undo and redo, by whoever presses the keys.
import { textOf } from '../state/index.ts';
import { attempt } from './attempt.ts';
import { assertNotOfOthers, bringBack, deleteIfThere, putInOrder, standing } from './cellsBack.ts';
import type { NotebookSession } from './session.ts';
import { replaceText } from './texts.ts';
import { type Change, NotDone } from './undoStack.ts';

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

/** Does the work, and gives what brings the cells back to what they were before it. What others did since stays. */
async function reversed(session: NotebookSession, work: () => Promise<unknown>): Promise<Change> {
  const before = await standing(session);
  await work();
  const after = await standing(session);
  const missing = [...before].filter(([id]) => !after.has(id)).map(([id, copy]) => ({ id, ...copy }));
  const extra = Object.fromEntries(
    [...after].filter(([id]) => !before.has(id)).map(([id, { source }]) => [id, source] as const),
  );
  const isSameOrder = [...before.keys()].join() === [...after.keys()].join();
  return async (now) => {
    await assertNotOfOthers(session, extra, now);
    for (const cell of missing) await bringBack(session, cell, now);
    for (const id of Object.keys(extra)) await deleteIfThere(session, now(id));
    for (const [id, { source }] of before) {
      const was = after.get(id)?.source;
      if (was !== undefined && was !== source && textOf(session.store.get(), now(id)) === was)
        replaceText(session, now(id), source);
    }
    if (!isSameOrder) await putInOrder(session, [...before.keys()].map(now));
  };
}
