// How sessions end: because somebody closes them, because they are idle or too many, or because their notebook is gone. A notebook
// is closed with its last session.
import { type CloseReason, chooseEvictions } from './eviction.ts';
import type { OpenSessionsParts, OpenTable } from './openTable.ts';

export interface Closing {
  close(sessionId: string, reason: CloseReason): Promise<void>;
  /** Ends every session of a notebook. */
  closeAt(directory: string, reason: CloseReason): Promise<void>;
  /** Closes what is idle, and as many as it takes to open so many more. */
  makeRoom(count: number): Promise<void>;
  /** Resolves when closed notebooks that were held still are put away. */
  settled(): Promise<void>;
}

export function createClosing(
  parts: OpenSessionsParts & { readonly now: () => number },
  { sessions, notebooks, sessionsAt }: OpenTable,
): Closing {
  /** Of closed notebooks that are held still. */
  const puttingAway = new Set<Promise<void>>();

  async function makeRoom(count: number): Promise<void> {
    const candidates = [...sessions.values()].map(({ sessionId, activeAt, live }) => ({
      sessionId,
      activeAt,
      busy: live.isBusy() || parts.holds.over(live.directory) !== undefined,
    }));
    for (const { sessionId, reason } of chooseEvictions(candidates, parts.limits, parts.now(), {
      opening: count,
      availableBytes: parts.availableBytes(),
    }))
      await close(sessionId, reason);
  }

  async function close(sessionId: string, reason: CloseReason): Promise<void> {
    const session = sessions.get(sessionId);
    if (!session) return;
    sessions.delete(sessionId);
    // Whoever comes back after a restart finds it again, on any server.
    if (reason !== 'shutdown') await parts.homes.forget(sessionId);
    const { notebook } = session;
    if (notebook.sessions().length > 1) return notebook.dismiss(session, reason);
    const { directory } = notebook;
    notebooks.delete(directory);
    await notebook.close(reason);
    const putAway = (): Promise<void> => notebook.putAway().finally(() => parts.homes.leave(directory));
    if (reason === 'deleted' || !parts.holds.over(directory)) return putAway();
    // Nobody waits for it: a copy is being made of the notebook as it is.
    const later = parts.holds
      .free(directory)
      .then(putAway)
      .catch((error: unknown) =>
        parts.log.warning('A closed notebook could not be put away', { error, path: directory }),
      )
      .finally(() => puttingAway.delete(later));
    puttingAway.add(later);
  }

  return {
    close,
    makeRoom,
    async closeAt(directory, reason) {
      for (const { sessionId } of sessionsAt(directory)) await close(sessionId, reason);
    },
    async settled() {
      await Promise.all(puttingAway);
    },
  };
}
