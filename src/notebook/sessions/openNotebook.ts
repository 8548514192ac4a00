// Opens one notebook: its environment, its store, its live state and the watch over its files, wired to each other. It is
// open once, however many people have it open, and stays so until the last of their sessions is closed.
import path from 'node:path';
import type { NotebookEnvironment } from '../../environments/index.ts';
import { refusals } from '../../errors/index.ts';
import { isPassing } from '../../files/index.ts';
import type { Caller } from '../../identity/index.ts';
import { type Notebook, type NotebookWatch, sourcesRead, watchNotebook } from '../document/index.ts';
import { checkRuntimeFolder, errorCode, makeRuntimeFolder } from '../storage/index.ts';
import { createClaimKeeper } from './claim.ts';
import { folderIdentity, folderNow } from './folderIdentity.ts';
import { createJobQueue } from './jobQueue.ts';
import { openProcesses } from './notebookProcesses.ts';
import type { OpenNotebook } from './opened.ts';
import { beginOpening } from './opening.ts';
import { openLive } from './openLive.ts';
import { openSession } from './openSession.ts';
import { createPeople } from './people.ts';
import type { SessionParts } from './sessionParts.ts';
import { shareNotebook, tellWatchers } from './sharedNotebook.ts';

/** What is done with the environment while the notebook is still being opened. */
export type Begin = (environment: NotebookEnvironment) => void;

export async function openNotebook(
  parts: SessionParts,
  notebook: Notebook,
  opener: Caller,
  begin: Begin = () => {},
  sessionId?: string,
): Promise<OpenNotebook> {
  const { directory } = notebook;
  await checkRuntimeFolder(directory);
  await makeRuntimeFolder(directory, parts.cellsRunAsOther);
  const folder = await folderIdentity(directory);
  const place = folderNow(directory);
  const opening = beginOpening(notebook);
  const people = createPeople(opener);
  const audience = parts.audienceFor(opening.id);
  let watch: NotebookWatch | undefined;
  /** Whoever finds that it is gone lets everybody know: what is written from then on would lie in a folder that is no notebook. */
  function isHere(): boolean {
    const now = folderNow(directory);
    if (now !== place && now !== 'unseen' && !opening.isClosed()) parts.onGone(directory);
    return now === place;
  }
  const jobQueue = createJobQueue({
    start: (request) => shared.startJob(request),
    told: (jobs) => audience.broadcast('environment_job_queue', { jobs }),
    refused: ({ label }, reason) => audience.broadcast('error', { error: `Not done: ${label}. ${reason}` }),
  });
  const nextJob = (): void => {
    if (!opening.isClosed()) jobQueue.startNext();
  };
  const processes = await openProcesses(parts, opening, audience, nextJob);
  const { environment } = processes;
  const store = await parts.stores.open(path.join(directory, '.svc/artifacts')).catch(async (error: unknown) => {
    await environment.close();
    throw error;
  });
  const opened = await openLive(parts, {
    opening,
    audience,
    people,
    processes,
    store,
    // However long it took: whoever waited for it has just begun to look.
    catchUp: async (files) => watch?.catchUp(files),
    isHere,
    onRested: nextJob,
    begin() {
      begin(environment);
      processes.start();
    },
  }).catch(async (error: unknown) => {
    opening.failed(error);
    await processes.close();
    await environment.close();
    await store.close();
    audience.end();
    throw error;
  });
  const { live, reactive } = opened;
  opening.opened(live);
  const shared = shareNotebook(parts, { ...opened, opening, audience, people, environment, processes, jobQueue });

  async function reload(): Promise<void> {
    try {
      await live.reload();
      tellWatchers({ people, audience });
    } catch (error) {
      if (isPassing(error)) throw error; // the watch looks once more
      parts.log.warning('A notebook changed on disk and could not be read', { error, path: directory });
    }
  }

  const claim = createClaimKeeper({
    directory,
    server: parts.address,
    holds: parts.holds,
    session: () => (opening.isClosed() ? undefined : people.sessions()[0]?.sessionId),
  });
  const open: OpenNotebook = {
    directory,
    environment,
    sessions: people.sessions,
    admit(caller, sessionId) {
      const { hasTenants, now } = parts;
      const session = openSession(open, shared, { caller, sessionId, hasTenants, now });
      people.add(session);
      audience.admit(session.sessionId);
      return session;
    },
    async dismiss(session, reason) {
      people.remove(session);
      audience.dismiss(session.sessionId, reason);
      await claim.keep().catch((error: unknown) => parts.log.warning('An open notebook was not noted', { error }));
    },
    isThere: async () => (await folderIdentity(directory)) === folder,
    async close(reason) {
      opening.close();
      reactive.close();
      watch?.close();
      await live.stop();
      await processes.close();
      for (const { sessionId } of people.sessions()) audience.dismiss(sessionId, reason);
      audience.end();
    },
    async putAway() {
      await live.close();
      await claim.drop();
    },
  };
  open.admit(opener, sessionId);
  void live.lookAround();
  try {
    await claim.keep();
    watch = await watchNotebook(directory, reload, { read: sourcesRead(notebook), onFolder: isHere });
  } catch (error) {
    await open.close('closed');
    await open.putAway();
    // Somebody deleted it while it was being opened.
    throw errorCode(error) === 'ENOENT' ? refusals.notebookDirectoryNotFound() : error;
  }
  return open;
}
