// How a caller comes into a notebook: it is opened for them, or they join those who have it open.
import { createSharedStores } from '../../artifacts/index.ts';
import { actAs, type Caller } from '../../identity/index.ts';
import { HeldElsewhere } from '../../nodes/index.ts';
import { type Notebook, readNotebook } from '../document/index.ts';
import type { OpenNotebook, OpenSession } from './opened.ts';
import { type Begin, openNotebook } from './openNotebook.ts';
import type { OpenSessionsParts, OpenTable } from './openTable.ts';
import type { SessionParts } from './sessionParts.ts';

export interface Entering {
  /** Opens a notebook that nobody has open. */
  start(document: Notebook, caller: Caller, begin?: Begin, sessionId?: string): Promise<OpenSession>;
  /** `sync`: an environment that was never made is made, beside the first look at the cells. */
  enter(directory: string, caller: Caller, sync: boolean, sessionId?: string): Promise<OpenSession>;
}

export const notAsked = 'The environment was not brought up to date, since that was not wanted.';
const heldStill =
  'The environment was not brought up to date because the notebook is held still for a copy; sync it when it is released.';

export function createEntering(
  parts: OpenSessionsParts & Pick<SessionParts, 'now' | 'onGone'>,
  table: OpenTable,
): Entering {
  const { homes } = parts;
  const { sessions, notebooks, sessionFor } = table;
  const stores = createSharedStores();

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

  async function start(document: Notebook, caller: Caller, begin?: Begin, sessionId?: string): Promise<OpenSession> {
    const { directory } = document;
    const opening = () => openNotebook({ ...parts, stores }, document, caller, begin, sessionId);
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
    sync: boolean,
    sessionId: string | undefined,
  ): Promise<OpenSession> {
    const notebook = await known;
    // Whoever had it open may have closed it meanwhile.
    if (notebooks.get(directory) !== known) return enter(directory, caller, sync, sessionId);
    const own = sessionId === undefined ? sessionFor(directory, caller) : sessions.get(sessionId);
    return own ?? kept(notebook.admit(caller, sessionId));
  }

  async function enter(directory: string, caller: Caller, sync: boolean, sessionId?: string): Promise<OpenSession> {
    const known = notebooks.get(directory);
    if (known) return join(known, directory, caller, sync, sessionId);
    const document = await readNotebook(directory);
    const meanwhile = notebooks.get(directory);
    if (meanwhile) return join(meanwhile, directory, caller, sync, sessionId);
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

  return { start, enter };
}
