// Folders that are built once and kept for the next cell: environments of Python, libraries of R. One is complete when its
// marker is there, whose time is that of its last use; those that no cell has used for a month go.
import fs from 'node:fs/promises';
import path from 'node:path';
import { failed, WorkerRefused } from './refused.ts';

export interface BuiltOnce {
  /** Builds the folder where it is not there. What goes wrong is told as a failure of the locked environment. */
  ensure(place: string, build: () => Promise<void>, signal: AbortSignal): Promise<void>;
}

const marker = '.svc-env-complete';
const idleMilliseconds = 30 * 86_400_000;

export const lockProblem = (reason: string): WorkerRefused => failed(500, `locked environment: ${reason}`);

export function createBuiltOnce(): BuiltOnce {
  const building = new Map<string, Promise<void>>();

  /** One builder at a time; whoever comes meanwhile waits for it, and tries itself when that one was cancelled. */
  async function built(place: string, build: () => Promise<void>, signal: AbortSignal): Promise<void> {
    for (;;) {
      if (await isComplete(place)) return;
      const other = building.get(place);
      if (!other) break;
      await other.catch(() => {});
      signal.throwIfAborted();
    }
    const work = build()
      .then(() => fs.writeFile(path.join(place, marker), ''))
      .finally(() => building.delete(place));
    building.set(place, work);
    await work;
  }

  return {
    async ensure(place, build, signal) {
      try {
        await fs.mkdir(path.dirname(place), { recursive: true });
        await built(place, build, signal);
      } catch (error) {
        if (error instanceof WorkerRefused || signal.aborted) throw error;
        throw lockProblem(error instanceof Error ? error.message : String(error));
      }
      const now = new Date();
      await fs.utimes(path.join(place, marker), now, now);
    },
  };
}

const isComplete = (place: string): Promise<boolean> =>
  fs.access(path.join(place, marker)).then(
    () => true,
    () => false,
  );

/** Gives how many were removed. */
export async function collectBuilt(root: string, now: number): Promise<number> {
  let removed = 0;
  for (const name of await fs.readdir(root).catch(() => [])) {
    const used = await fs.stat(path.join(root, name, marker)).catch(() => undefined);
    if (!used || now - used.mtimeMs < idleMilliseconds) continue;
    await fs.rm(path.join(root, name), { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}
