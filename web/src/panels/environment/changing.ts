// Changes of the packages of a notebook. One that was done is taken back by the list that stood there before.
import { type JobWish, readRequirements, startJob } from '../../api/index.ts';
import type { NotebookSession } from '../../notebook/session.ts';

/** While something runs the change waits its turn. `doing`: `adding six`, for whoever takes it back. */
export async function changePackages(session: NotebookSession, wish: JobWish, doing: string): Promise<void> {
  const { sessionId, store } = session;
  const isFree = store.get().job?.status !== 'running' && store.get().jobQueue.length === 0;
  const before = isFree ? await readRequirements(sessionId) : null;
  const { environment_job } = await startJob(sessionId, wish);
  // What waited, others may have changed the list before.
  if (before === null || environment_job === null) return;
  const isDone = await endOf(session, environment_job.id);
  if (isDone)
    session.undo.did(
      doing,
      () => startJob(sessionId, { action: 'import', requirements: before }),
      () => startJob(sessionId, wish),
    );
}

/** Whether the job did what it should. */
function endOf({ store }: NotebookSession, jobId: string): Promise<boolean> {
  return new Promise((resolve) => {
    const look = (): boolean => {
      const { job, jobHistory } = store.get();
      const ended = [job, ...jobHistory].find((one) => one?.id === jobId && one.status !== 'running');
      if (!ended) return false;
      resolve(ended.status === 'completed');
      return true;
    };
    if (look()) return;
    const stop = store.subscribe(() => {
      if (look()) stop();
    });
  });
}
