// The notebooks that are open in this process, each once, and the sessions through which people have them open. Opening one
// again gives the same session (to anyone on a personal server, to the same principal on a shared one), and to others one
// of their own on the same open notebook; idle sessions are closed to make room, and a notebook with its last session.
import { createSharedStores } from '../../artifacts/index.ts';
import { refusals } from '../../errors/index.ts';
import { actAs, type Caller } from '../../identity/index.ts';
import { HeldElsewhere, type Homes } from '../../nodes/index.ts';
import {
  createNotebookFor,
  deleteNotebook,
  type NewNotebook,
  type Notebook,
  notebookPlace,
  readNotebook,
} from '../document/index.ts';
import { type CloseReason, chooseEvictions, type EvictionLimits } from './eviction.ts';
import type { OpenNotebook, OpenSession } from './opened.ts';
import { type Begin, openNotebook } from './openNotebook.ts';
import type { SessionParts } from './sessionParts.ts';

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

export interface OpenSessionsParts extends Omit<SessionParts, 'stores' | 'now'> {
  readonly personal: boolean;
  readonly homes: Homes;
  readonly limits: EvictionLimits;
  readonly availableBytes: () => number;
  readonly now?: () => number;
}

const notAsked = 'The environment was not brought up to date, since that was not wanted.';
const heldStill =
  'The environment was not brought up to date because the notebook is held still for a copy; sync it when it is released.';

export function createOpenSessions(parts: OpenSessionsParts): OpenSessions {
  const { personal, homes, now = () => performance.now() / 1000 } = parts;
  const stores = createSharedStores();
  const sessions = new Map<string, OpenSession>();
  /** By their directories, from the moment when somebody begins to open them. */
  const notebooks = new Map<string, Promise<OpenNotebook>>();
  const opening = new Map<string, Promise<OpenSession>>();
  const deleting = new Map<string, Promise<void>>();
  /** Of closed notebooks that are held still. */
  const puttingAway = new Set<Promise<void>>();
  let isShutDown = false;

  const sessionsAt = (directory: string): OpenSession[] =>
    [...sessions.values()].filter(({ live }) => live.directory === directory);

  const openFor = (directory: string, { principal }: Caller): OpenSession | undefined =>
    sessionsAt(directory).find((session) => personal || (principal !== null && session.principal === principal));

  async function kept(session: OpenSession): Promise<OpenSession> {
    const { sessionId, principal, tenant = null, live } = session;
    sessions.set(sessionId, session);
    await homes.note({ sessionId, directory: live.directory, principal, tenant });
    return session;
  }

  async function atHome<T>(directory: string, work: () => Promise<T>): Promise<T> {
    const other = await homes.take(directory);
    if (other !== undefined) throw new HeldElsewhere(other, directory);
    return work().catch(async (error: unknown) => {
      await homes.leave(directory);
      throw error;
    });
  }

  /** Opens a notebook that nobody has open. */
  async function start(document: Notebook, caller: Caller, begin?: Begin, sessionId?: string): Promise<OpenSession> {
    const { directory } = document;
    const opening = () => openNotebook({ ...parts, stores, now }, document, caller, begin, sessionId);
    const starting = actAs(caller, () => atHome(directory, opening), document.id);
    notebooks.set(directory, starting);
    try {
      const notebook = await starting;
      return await kept(notebook.sessions()[0] ?? notebook.admit(caller));
    } catch (error) {
      notebooks.delete(directory);
      throw error;
    }
  }

  /** A session on a notebook that somebody has open or is opening. */
  async function join(
    known: Promise<OpenNotebook>,
    directory: string,
    caller: Caller,
    sessionId: string | undefined,
  ): Promise<OpenSession> {
    const notebook = await known;
    // Whoever had it open may have closed it meanwhile.
    if (notebooks.get(directory) !== known) return enter(directory, caller, true, sessionId);
    const own = sessionId === undefined ? openFor(directory, caller) : sessions.get(sessionId);
    return own ?? kept(notebook.admit(caller, sessionId));
  }

  async function enter(directory: string, caller: Caller, sync: boolean, sessionId?: string): Promise<OpenSession> {
    const known = notebooks.get(directory);
    if (known) return join(known, directory, caller, sessionId);
    const document = await readNotebook(directory);
    const meanwhile = notebooks.get(directory);
    if (meanwhile) return join(meanwhile, directory, caller, sessionId);
    // uv works while the cells are looked at.
    const begin: Begin = (environment) => {
      // Another process may have seen to it.
      if (environment.state().sync_state !== 'pending') return;
      if (!sync) environment.leaveAlone(notAsked);
      else if (parts.holds.over(directory)) environment.leaveAlone(heldStill);
      else void environment.sync();
    };
    return start(document, caller, begin, sessionId);
  }

  /** The environment is there when it is answered for. */
  async function enterSynced(
    directory: string,
    caller: Caller,
    sync: boolean,
    sessionId?: string,
  ): Promise<OpenSession> {
    await makeRoom(1);
    const session = await parts.holds.tracked(directory, () => enter(directory, caller, sync, sessionId));
    if (sync && session.environment.state().sync_state === 'pending') await session.environment.sync();
    return session;
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
    // Whoever comes back after a restart finds it again, on any server.
    if (reason !== 'shutdown') await homes.forget(sessionId);
    const { notebook } = session;
    if (notebook.sessions().length > 1) return notebook.dismiss(session, reason);
    const { directory } = notebook;
    notebooks.delete(directory);
    await notebook.close(reason);
    const putAway = (): Promise<void> => notebook.putAway().finally(() => homes.leave(directory));
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

  async function remove(directory: string): Promise<void> {
    const underWay = [...opening].filter(([key]) => key === directory || key.startsWith(`${directory}\0`));
    await Promise.allSettled(underWay.map(([, session]) => session));
    await closeAt(directory);
    await deleteNotebook(directory);
  }

  /** Ends every session of a notebook that is gone or about to be. */
  async function closeAt(directory: string): Promise<void> {
    for (const { sessionId } of sessionsAt(directory)) await close(sessionId, 'deleted');
  }

  return {
    find: (sessionId) => sessions.get(sessionId),
    list: () => [...sessions.values()],
    async create(parent, wanted, caller) {
      return parts.holds.writing(notebookPlace(parent, wanted.name), async () => {
        const session = await createNotebookFor(parent, wanted, async (document) => {
          await makeRoom(1);
          // Of a folder that somebody took away while it was open.
          await closeAt(document.directory);
          return parts.holds.tracked(document.directory, () => start(document, caller));
        });
        // The answer does not wait for the environment; everybody hears when it is there.
        void actAs(caller, () => session.environment.sync(), session.live.notebook().id);
        return session;
      });
    },
    async open(directory, caller, { sync } = { sync: true }) {
      // Whoever has no name gets a session of their own each time.
      const key = personal ? directory : `${directory}\0${caller.principal ?? crypto.randomUUID()}`;
      for (;;) {
        await deleting.get(directory)?.catch(() => {});
        if (isShutDown) throw refusals.draining();
        const [first] = sessionsAt(directory);
        if (first && !(await first.notebook.isThere())) await closeAt(directory);
        const known = openFor(directory, caller);
        if (known) return known;
        const underWay = opening.get(key) ?? enterSynced(directory, caller, sync);
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
    async revive(sessionId, directory, caller) {
      if (isShutDown) throw refusals.draining();
      const underWay = opening.get(sessionId) ?? enterSynced(directory, caller, true, sessionId);
      opening.set(sessionId, underWay);
      return underWay.finally(() => opening.delete(sessionId));
    },
    async lose(directory) {
      for (const { sessionId } of sessionsAt(directory)) await close(sessionId, 'shutdown');
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
