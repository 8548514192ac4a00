// What takes a step back also tells how to make it again.
import { textOf } from '../state/index.ts';
import { assertNotOfOthers, bringBack, deleteIfThere, putInOrder, standing } from './cellsBack.ts';
import { replaceText } from './replaceText.ts';
import type { NotebookSession } from './session.ts';
import type { Change } from './undoStack.ts';

/** Does the work, and gives what brings the cells back to what they were before it. What others did since stays. */
export async function reversed(
  session: Pick<NotebookSession, 'sessionId' | 'store' | 'view' | 'undo'> & {
    link: Pick<NotebookSession['link'], 'flush'>;
  },
  work: () => Promise<ReadonlySet<string>>,
): Promise<Change> {
  const before = await standing(session);
  const touched = await work();
  const after = await standing(session);
  const gone = [...before].filter(([id]) => touched.has(id) && !after.has(id));
  const missing = gone.map(([id, copy]) => ({ id, ...copy }));
  const came = [...after].filter(([id]) => touched.has(id) && !before.has(id));
  const extra = Object.fromEntries(came.map(([id, { source }]) => [id, source] as const));
  const isSameOrder = [...before.keys()].join() === [...after.keys()].join();
  return async (now) => {
    await assertNotOfOthers(session, extra, now);
    for (const cell of missing) await bringBack(session, cell, now);
    for (const id of Object.keys(extra)) await deleteIfThere(session, now(id));
    for (const [id, { source }] of before) {
      const was = touched.has(id) ? after.get(id)?.source : undefined;
      if (was !== undefined && was !== source && textOf(session.store.get(), now(id)) === was)
        replaceText(session, now(id), source);
    }
    if (!isSameOrder) await putInOrder(session, [...before.keys()].map(now));
  };
}
