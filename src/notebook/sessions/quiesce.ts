// Brings notebooks to rest for a copy: no new runs, those that run may finish within a time, the rest is cancelled, and
// then nothing is written until the hold is released or ends by itself.
import path from 'node:path';
import { refusals } from '../../errors/index.ts';
import type { Holds } from './holds.ts';
import type { OpenSession } from './opened.ts';

export interface QuiesceRequest {
  /** A notebook directory, or a project directory above several. */
  readonly root: string;
  readonly timeoutSeconds: number;
  readonly maxHoldSeconds: number;
}

export interface Quiesced {
  readonly path: string;
  readonly notebooks: readonly string[];
  readonly cancelled_cells: Readonly<Record<string, readonly string[]>>;
  readonly hold_expires_in_seconds: number;
}

export async function quiesce(
  sessions: () => readonly OpenSession[],
  holds: Holds,
  { root, timeoutSeconds, maxHoldSeconds }: QuiesceRequest,
): Promise<Quiesced> {
  const overlap = holds.place(root, maxHoldSeconds);
  if (overlap) throw refusals.holdOverlaps(root, overlap.held, overlap.inside);
  try {
    // What is being made, opened or deleted there is soon over.
    await holds.settled(root);
    // Of a notebook that several people have open one session stands for all.
    const covered = [...new Map(sessions().map((session) => [session.live.directory, session])).values()].filter(
      ({ live }) => live.directory === root || live.directory.startsWith(root + path.sep),
    );
    const cancelled: Record<string, string[]> = {};
    await Promise.all(
      covered.map(async ({ live, environment }) => {
        await environment.rest(timeoutSeconds * 1000);
        const left = await live.runner.rest(timeoutSeconds * 1000);
        if (left.length > 0) cancelled[live.directory] = [...left];
        await live.closeInspectors();
      }),
    );
    // First nothing more may be written, then what was begun before is written to its end.
    holds.complete(root);
    await Promise.all(covered.map(({ live }) => live.settledWrites()));
    return {
      path: root,
      notebooks: covered.map(({ live }) => live.directory).sort(),
      cancelled_cells: cancelled,
      hold_expires_in_seconds: holds.over(root)?.secondsLeft ?? 0,
    };
  } catch (error) {
    holds.release(root);
    throw error;
  }
}
