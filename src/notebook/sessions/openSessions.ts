// The notebooks that are open in this process, each once, and the sessions through which people have them open. Opening one
// again gives the same session (to anyone on a personal server, to the same principal on a shared one), and to others one
// of their own on the same open notebook; idle sessions are closed to make room, and a notebook with its last session.
import { Refusal, refusals } from '../../errors/index.ts';
import { actAs, type Caller } from '../../identity/index.ts';
import { createNotebookFor, deleteNotebook, type NewNotebook, notebookPlace } from '../document/index.ts';
import { createClosing } from './closing.ts';
import { createEntering, notAsked } from './entering.ts';
import type { CloseReason } from './eviction.ts';
import type { OpenSession } from './opened.ts';
import { createOpenTable, type OpenSessionsParts } from './openTable.ts';

export type { OpenSessionsParts } from './openTable.ts';

export interface OpenSessions {
  find(sessionId: string): OpenSession | undefined;
  list(): readonly OpenSession[];
  /** `parent` is a checked path. */
  create(parent: string, wanted: NewNotebook, caller: Caller): Promise<OpenSession>;
  /** `directory` is a checked path. Waits for the environment; without `sync` that is used as it is. */
  open(directory: string, caller: Caller, options?: { readonly sync: boolean }): Promise<OpenSession>;
  /** Goes on with a session that another server had. */
  revive(sessionId: string, directory: string, caller: Caller): Promise<OpenSession>;
  /** Another server has taken the notebook: whoever is here is sent there. */
  lose(directory: string): Promise<void>;
  /** Closes one session, and its notebook where nobody else has it open. */
  close(sessionId: string, reason: CloseReason): Promise<void>;
  /** Closes a notebook for everybody and deletes its directory; whoever opens it meanwhile finds it gone. */
  delete(directory: string): Promise<void>;
  /** Nothing is opened afterwards. */
  closeAll(reason: CloseReason): Promise<void>;
  /** Closes what is idle or too much; done every minute by the server, and before each open. */
  sweep(): Promise<void>;
}

export function createOpenSessions(given: OpenSessionsParts): OpenSessions {
  const parts = { ...given, now: given.now ?? (() => performance.now() / 1000) };
  const table = createOpenTable(parts.personal);
  const { sessions, sessionsAt, sessionFor } = table;
  const onGone = (directory: string): void =>
    void closeAt(directory, 'deleted').catch((error: unknown) =>
      parts.log.warning('A notebook whose folder is gone could not be closed', { error, path: directory }),
    );
  const { start, enter } = createEntering({ ...parts, onGone }, table);
  const { close, closeAt, makeRoom, settled } = createClosing(parts, table);
  const opening = new Map<string, Promise<OpenSession>>();
  const deleting = new Map<string, Promise<void>>();
  let isShutDown = false;

  /** The environment is there when it is answered for. */
  async function enterSynced(
    directory: string,
    caller: Caller,
    sync: boolean,
    sessionId?: string,
  ): Promise<OpenSession> {
    await makeRoom(1);
    const session = await parts.holds.tracked(directory, () => enter(directory, caller, sync, sessionId));
    if (sync) await session.environment.synced();
    return session;
  }

  /** It may have been opened by somebody who only reads, for whom no environment is made. */
  async function withEnvironment(session: OpenSession, { caller, sync }: { caller: Caller; sync: boolean }) {
    const { environment, live } = session;
    if (sync && environment.state().sync_error === notAsked && !parts.holds.over(live.directory))
      await actAs(caller, async () => environment.sync(), live.notebook().id).catch((error: unknown) => {
        // Cells run in the one that there is.
        if (!(error instanceof Refusal)) throw error;
      });
    return session;
  }

  async function remove(directory: string): Promise<void> {
    const underWay = [...opening].filter(([key]) => key === directory || key.startsWith(`${directory}\0`));
    await Promise.allSettled(underWay.map(([, session]) => session));
    await closeAt(directory, 'deleted');
    await deleteNotebook(directory);
  }

  return {
    find: (sessionId) => sessions.get(sessionId),
    list: () => [...sessions.values()],
    async create(parent, wanted, caller) {
      return parts.holds.writing(notebookPlace(parent, wanted.name), async () => {
        const session = await createNotebookFor(parent, wanted, async (document) => {
          await makeRoom(1);
          // Of a folder that somebody took away while it was open.
          await closeAt(document.directory, 'deleted');
          return parts.holds.tracked(document.directory, () => start(document, caller));
        });
        // The answer does not wait for the environment; everybody hears when it is there.
        void actAs(caller, () => session.environment.sync(), session.live.notebook().id);
        return session;
      });
    },
    async open(directory, caller, { sync } = { sync: true }) {
      // Whoever has no name gets a session of their own each time.
      const key = parts.personal ? directory : `${directory}\0${caller.principal ?? crypto.randomUUID()}`;
      for (;;) {
        await deleting.get(directory)?.catch(() => {});
        if (isShutDown) throw refusals.draining();
        const [first] = sessionsAt(directory);
        if (first && !(await first.notebook.isThere())) await closeAt(directory, 'deleted');
        const known = sessionFor(directory, caller);
        if (known) return withEnvironment(known, { caller, sync });
        const underWay = opening.get(key) ?? enterSynced(directory, caller, sync);
        opening.set(key, underWay);
        try {
          const session = await underWay;
          // Somebody may have closed it while its environment was made.
          if (sessions.has(session.sessionId)) return await withEnvironment(session, { caller, sync });
        } finally {
          if (opening.get(key) === underWay) opening.delete(key);
        }
      }
    },
    async revive(sessionId, directory, caller) {
      if (isShutDown) throw refusals.draining();
      const underWay = opening.get(sessionId) ?? enterSynced(directory, caller, true, sessionId);
      opening.set(sessionId, underWay);
      return underWay.finally(() => opening.delete(sessionId));
    },
    lose: (directory) => closeAt(directory, 'shutdown'),
    close,
    async delete(directory) {
      const work = deleting.get(directory) ?? parts.holds.writing(directory, () => remove(directory));
      deleting.set(directory, work);
      try {
        await work;
      } finally {
        deleting.delete(directory);
      }
    },
    sweep: () => makeRoom(0),
    async closeAll(reason) {
      isShutDown = true;
      // Holds live in this process and end with it.
      parts.holds.end();
      await Promise.all([...sessions.keys()].map((sessionId) => close(sessionId, reason)));
      await settled();
    },
  };
}
