// Changes of the packages of a notebook. One that was done is taken back package by package: what others changed since stays.
import { type JobWish, previewImport, readRequirements, startJob } from '../../api/index.ts';
import { jobEnd } from '../../notebook/jobEnd.ts';
import type { NotebookSession } from '../../notebook/session.ts';
import { rebaseNamed } from '../settings/rebase.ts';
import { declaredBy } from './requirementsIn.ts';

/** While something runs the change waits its turn. `doing`: `adding six`, for whoever takes it back. */
export async function changePackages(session: NotebookSession, wish: JobWish, doing: string): Promise<void> {
  const { sessionId, store } = session;
  const isFree = store.get().job?.status !== 'running' && store.get().jobQueue.length === 0;
  const before = isFree ? await declared(sessionId) : null;
  const { environment_job } = await startJob(sessionId, wish);
  // What waited, others may have changed the list before.
  if (before === null || environment_job === null) return;
  if (!(await isDone(session, environment_job.id))) return;
  const after = await declared(sessionId);
  const go = (from: readonly string[], to: readonly string[], what: 'undo' | 'redo') => async () => {
    const requirements = rebaseLines(from, to, await declared(sessionId)).join('\n');
    // A line that others wrote into the project may be none that we would write.
    const [unreadable] = (await previewImport(sessionId, { requirements })).warnings;
    if (unreadable !== undefined) throw new Error(`The list of packages cannot be written back: ${unreadable}.`);
    const wanted = { action: 'import', requirements, take_readable: true } as const;
    const { environment_job: job } = await startJob(sessionId, wanted);
    if (job) void isDone(session, job.id).then((done) => done || failed(what));
  };
  const steps = [doing, go(after, before, 'undo'), go(before, after, 'redo')] as const;
  // A job takes its time, and cells are worked on meanwhile; when it fails, its step is there again.
  function failed(what: 'undo' | 'redo'): void {
    if (what === 'undo') session.undo.did(...steps);
    const text = `Could not ${what} ${doing}. The environment is as it was; see its last job.`;
    store.send({ kind: 'noticed', text, tone: 'error' });
  }
  session.undo.did(...steps);
}

const rebaseLines = rebaseNamed(declaredBy);

const declared = async (sessionId: string): Promise<string[]> =>
  (await readRequirements(sessionId)).split('\n').filter((line) => line !== '');

/** Whether the job did what it should. */
export async function isDone(session: NotebookSession, jobId: string): Promise<boolean> {
  return (await jobEnd(session, jobId)).status === 'completed';
}
