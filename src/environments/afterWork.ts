// After the work of a job: what it has left is looked at, and everybody who holds the notebook open lets go of the old processes
// and looks at the cells anew.
import { after, type Course, type Found } from './course.ts';
import { changeBetween, type Installed, type PackageChange, readInstalled, venvPlace } from './installed.ts';
import type { EnvironmentWatcher, LookAgain } from './notebookEnvironment.ts';
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

export interface Worked {
  readonly operation: Operation;
  /** Why the work failed; undefined when it did not. */
  readonly problem: string | undefined;
  /** What was installed when it began. */
  readonly installedBefore: Installed | undefined;
}

export async function afterWork(
  parts: AfterWorkParts,
  { operation, problem, installedBefore }: Worked,
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
  const isKnown = isAsLocked(before) && problem === undefined;
  const installed = isKnown ? await readInstalled(venvPlace(directory)) : undefined;
  const looks = new Map([...parts.watchers].map((watcher) => [watcher, watcher.beginChange()]));
  // The new hash holds before anybody looks: what is looked at under it runs in it.
  course.happened({ type: 'found', found, rNow });
  const { state, isClosed, survey } = course.now();
  const hasChanged = state.lockfile_hash !== before.state.lockfile_hash;
  const isReplaced = problem === undefined || !before.last.isSettled || hasChanged || survey.isMakeshift;
  const isSamePython = survey.runtimeVersion === before.survey.runtimeVersion && isAsLocked(course.now());
  const change = isSamePython ? changeBetween(installedBefore, installed) : undefined;
  const stale = !isClosed && isReplaced ? await renew(parts, looks, change) : [];
  return { hasChanged, stale: hasChanged ? stale : [] };
}

async function rUsed({ directory, r, course }: AfterWorkParts): Promise<{ lockHash: string; version: string }> {
  const { current_lock_hash: lockHash } = await r.survey(directory, course.now().record.r);
  return { lockHash, version: (await r.version()) ?? '' };
}

/** What is installed is what the lock says. */
const isAsLocked = ({ last, survey }: Course): boolean =>
  last.isSettled && last.error === null && !survey.isMakeshift && survey.venvPython !== null;

/** `change`: undefined where nobody knows which cells it could matter to. Gives the cells that are stale then. */
async function renew(
  { watchers, course }: AfterWorkParts,
  looks: ReadonlyMap<EnvironmentWatcher, LookAgain>,
  change: PackageChange | undefined,
): Promise<readonly string[]> {
  course.enter('invalidating_warm_pool');
  const all = [...watchers];
  await Promise.all(all.map((watcher) => watcher.stopProcesses()));
  course.enter('recomputing_staleness');
  const looked = all.map((watcher) => (looks.get(watcher) ?? watcher.beginChange())(change));
  const stale = new Set((await Promise.all(looked)).flat());
  course.enter('starting_warm_pool');
  for (const watcher of all) watcher.startProcesses();
  return [...stale];
}
