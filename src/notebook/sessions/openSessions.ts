// The notebooks that are open in this process. Opening one that is open already gives the same session (to anyone on a
// personal server, to the same principal on a shared one); idle ones are closed to make room.
import { createSharedStores } from '../../artifacts/index.ts';
import { refusals } from '../../errors/index.ts';
import type { Caller } from '../../identity/index.ts';
import {
  createNotebookFor,
  deleteNotebook,
  type NewNotebook,
  type Notebook,
  notebookPlace,
  readNotebook,
} from '../document/index.ts';
import { type CloseReason, chooseEvictions, type EvictionLimits } from './eviction.ts';
import { type Begin, type OpenSession, openSession, type SessionParts } from './openSession.ts';

export interface OpenSessions {
  find(sessionId: string): OpenSession | undefined;
  list(): readonly OpenSession[];
  /** `parent` is a checked path. */
  create(parent: string, wanted: NewNotebook, caller: Caller): Promise<OpenSession>;
  /** `directory` is a checked path. Waits for the environment; without `sync` that is used as it is. */
  open(directory: string, caller: Caller, options?: { readonly sync: boolean }): Promise<OpenSession>;
  close(sessionId: string, reason: CloseReason): Promise<void>;
  /** Closes a notebook for everybody and deletes its directory; whoever opens it meanwhile finds it gone. */
  delete(directory: string): Promise<void>;
  /** Nothing is opened afterwards. */
  closeAll(reason: CloseReason): Promise<void>;
  /** Closes what is idle or too much; done every minute by the server, and before each open. */
  sweep(): Promise<void>;
}

export interface OpenSessionsParts extends Omit<SessionParts, 'stores' | 'now'> {
  readonly personal: boolean;
  readonly limits: EvictionLimits;
  readonly availableBytes: () => number;
  readonly now?: () => number;
}

const notAsked = 'The environment was not brought up to date, since that was not wanted.';
const heldStill =
  'The environment was not brought up to date because the notebook is held still for a copy; sync it when it is released.';

export function createOpenSessions(parts: OpenSessionsParts): OpenSessions {
  const { personal, now = () => performance.now() / 1000 } = parts;
  const stores = createSharedStores();
  const sessions = new Map<string, OpenSession>();
  const opening = new Map<string, Promise<OpenSession>>();
  const deleting = new Map<string, Promise<void>>();
  /** Of closed sessions whose notebooks are held still. */
  const puttingAway = new Set<Promise<void>>();
  let isShutDown = false;

  const openFor = (directory: string, { principal }: Caller): OpenSession | undefined =>
    [...sessions.values()].find(
      (session) =>
        session.live.directory === directory && (personal || (principal !== null && session.principal === principal)),
    );

  async function start(notebook: Notebook, caller: Caller, begin?: Begin): Promise<OpenSession> {
    await makeRoom(1);
    return parts.holds.tracked(notebook.directory, async () => {
      const session = await openSession({ ...parts, stores, now }, notebook, caller, tellOthers, begin);
      sessions.set(session.sessionId, session);
      return session;
    });
  }

  async function startSynced(directory: string, caller: Caller, sync: boolean): Promise<OpenSession> {
    let synced: Promise<unknown> | undefined;
    const notebook = await readNotebook(directory);
    // uv works while the cells are looked at.
    const session = await start(notebook, caller, (environment) => {
      // Another session of the same notebook may have seen to it.
      if (environment.state().sync_state !== 'pending') return;
      if (!sync) environment.leaveAlone(notAsked);
      else if (parts.holds.over(directory)) environment.leaveAlone(heldStill);
      else synced = environment.sync();
    });
    await synced;
    return session;
  }

  /** On a shared server several principals may have the same notebook open, each in a session of their own. */
  function tellOthers(edited: OpenSession): void {
    for (const other of sessions.values()) {
      if (other.sessionId !== edited.sessionId && other.live.directory === edited.live.directory) void other.reload();
    }
  }

  async function makeRoom(count: number): Promise<void> {
    const candidates = [...sessions.values()].map(({ sessionId, activeAt, live }) => ({
      sessionId,
      activeAt,
      busy: live.isBusy() || parts.holds.over(live.directory) !== undefined,
    }));
    for (const { sessionId, reason } of chooseEvictions(candidates, parts.limits, now(), {
      opening: count,
      availableBytes: parts.availableBytes(),
    }))
      await close(sessionId, reason);
  }

  async function close(sessionId: string, reason: CloseReason): Promise<void> {
    const session = sessions.get(sessionId);
    if (!session) return;
    sessions.delete(sessionId);
    await session.close(reason);
    const { directory } = session.live;
    if (reason === 'deleted' || !parts.holds.over(directory)) return session.putAway();
    // Nobody waits for it: a copy is being made of the notebook as it is.
    const later = parts.holds
      .free(directory)
      .then(() => session.putAway())
      .catch((error: unknown) =>
        parts.log.warning('A closed notebook could not be put away', { error, path: directory }),
      )
      .finally(() => puttingAway.delete(later));
    puttingAway.add(later);
  }

  async function remove(directory: string): Promise<void> {
    const underWay = [...opening].filter(([key]) => key === directory || key.startsWith(`${directory}\0`));
    await Promise.allSettled(underWay.map(([, session]) => session));
    await closeAt(directory);
    await deleteNotebook(directory);
  }

  /** Ends every session of a notebook that is gone or about to be. */
  async function closeAt(directory: string): Promise<void> {
    for (const { sessionId, live } of sessions.values())
      if (live.directory === directory) await close(sessionId, 'deleted');
  }

  return {
    find: (sessionId) => sessions.get(sessionId),
    list: () => [...sessions.values()],
    async create(parent, wanted, caller) {
      return parts.holds.writing(notebookPlace(parent, wanted.name), async () => {
        const session = await createNotebookFor(parent, wanted, (notebook) => start(notebook, caller));
        // The answer does not wait for the environment; everybody hears when it is there.
        void session.environment.sync();
        return session;
      });
    },
    async open(directory, caller, { sync } = { sync: true }) {
      const key = personal ? directory : `${directory}\0${caller.principal}`;
      for (;;) {
        await deleting.get(directory)?.catch(() => {});
        if (isShutDown) throw refusals.draining();
        const known = openFor(directory, caller);
        if (known && !(await known.isThere())) await closeAt(directory);
        else if (known && sessions.has(known.sessionId)) return known;
        const underWay = opening.get(key) ?? startSynced(directory, caller, sync);
        opening.set(key, underWay);
        try {
          const session = await underWay;
          // Somebody may have closed it while its environment was made.
          if (sessions.has(session.sessionId)) return session;
        } finally {
          if (opening.get(key) === underWay) opening.delete(key);
        }
      }
    },
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
      await Promise.all(puttingAway);
    },
  };
}
