// After the work of a job: what it has left is looked at, and everybody who holds the notebook open lets go of the old processes
// and looks at the cells anew.
import { after, type Found } from './course.ts';
import type { EnvironmentWatcher } from './notebookEnvironment.ts';
import type { Operation } from './operations.ts';
import type { RTools } from './renv.ts';
import { surveyEnvironment } from './survey.ts';
import type { ToldCourse } from './toldCourse.ts';

export interface AfterWorkParts {
  readonly directory: string;
  readonly r: Pick<RTools, 'survey' | 'version'>;
  readonly watchers: ReadonlySet<EnvironmentWatcher>;
  readonly course: ToldCourse;
}

export interface WorkOutcome {
  readonly hasChanged: boolean;
  /** Cells that were true before. */
  readonly stale: readonly string[];
}

/** `problem`: why the work failed; undefined when it did not. */
export async function afterWork(
  parts: AfterWorkParts,
  operation: Operation,
  problem: string | undefined,
  elapsed: () => number,
): Promise<WorkOutcome> {
  const { directory, r, course } = parts;
  const before = course.now();
  const found: Found = {
    problem,
    at: Date.now(),
    durationMs: elapsed(),
    survey: await surveyEnvironment(directory),
    ...(operation.language === 'r' ? { r: await rUsed(parts) } : {}),
  };
  const { record } = after(course.now(), { type: 'found', found });
  const rNow = await r.survey(directory, record.r);
  // The new hash holds before anybody looks: what is looked at under it runs in it.
  course.happened({ type: 'found', found, rNow });
  const { state, isClosed, survey } = course.now();
  const hasChanged = state.lockfile_hash !== before.state.lockfile_hash;
  const isReplaced = problem === undefined || !before.last.isSettled || hasChanged || survey.isMakeshift;
  const stale = !isClosed && isReplaced ? await renew(parts) : [];
  return { hasChanged, stale: hasChanged ? stale : [] };
}

async function rUsed({ directory, r, course }: AfterWorkParts): Promise<{ lockHash: string; version: string }> {
  const { current_lock_hash: lockHash } = await r.survey(directory, course.now().record.r);
  return { lockHash, version: (await r.version()) ?? '' };
}

/** Gives the cells that are stale then. */
async function renew({ watchers, course }: AfterWorkParts): Promise<readonly string[]> {
  course.enter('invalidating_warm_pool');
  const all = [...watchers];
  await Promise.all(all.map((watcher) => watcher.stopProcesses()));
  course.enter('recomputing_staleness');
  const stale = new Set((await Promise.all(all.map((watcher) => watcher.lookAgain()))).flat());
  course.enter('starting_warm_pool');
  for (const watcher of all) watcher.startProcesses();
  return [...stale];
}
