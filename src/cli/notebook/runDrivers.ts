// Where `svc run` runs its cells: in this process, or in the server that has the notebook open.

import { z } from 'zod';
import { type CellLanguage, usualLanguage } from '../../cellLanguages.ts';
import { createDesk, type Desk } from '../../desk/index.ts';
import { notebookOrder } from '../../notebookOrder.ts';
import type { CellReport } from '../../protocol/index.ts';
import type { Ask } from '../../runtimes/index.ts';
import { UsageError } from '../failure.ts';
import { openHere } from './here.ts';

/** The cells of a notebook, wherever they run. */
export interface RunDriver {
  readonly name: string;
  /** That of the notebook, except that each cell comes after those it waits for. */
  readonly order: readonly string[];
  about(id: string): {
    readonly source: string;
    readonly language: CellLanguage;
    readonly upstream_ids: readonly string[];
  };
  /** A cell alone, and its tests. `ask`: who answers what it asks. */
  run(id: string, mode: 'normal' | 'force', ask?: Ask): Promise<CellReport>;
  close(): Promise<void>;
}

/** Brings the environment up to date first, unless `sync` is false. */
export async function driveHere(place: string, sync: boolean, defaultTimeout: number | undefined): Promise<RunDriver> {
  const offline = await openHere({ defaultTimeout });
  try {
    const session = await offline.open(place, { sync });
    const { environment } = session;
    const objection = session.live.mayRun(null);
    if (objection?.type === 'environment')
      throw new UsageError(`the environment is not ready: ${environment.state().sync_error ?? objection.reason}`);
    // Cells run all the same, in what is there.
    const { sync_error } = environment.state();
    if (sync && sync_error !== null) process.stderr.write(`warning: ${sync_error}\n`);
    return await driverOf(
      createDesk(session, () => {}),
      () => offline.close(),
    );
  } catch (error) {
    await offline.close();
    throw error;
  }
}

const dagShape = z.looseObject({ error: z.string().nullable(), topological_order: z.array(z.string()) });

export async function driverOf(desk: Desk, close: () => Promise<void>): Promise<RunDriver> {
  const { error, topological_order: graph } = dagShape.parse(await desk.dag());
  if (error !== null) throw new UsageError(error);
  const cells = new Map((await desk.cells()).map((cell) => [cell.id, cell]));
  const { name } = z.looseObject({ name: z.string() }).parse(await desk.status());
  return {
    name,
    order: notebookOrder(
      [...cells].map(([id, { upstream_ids }]) => ({ id, upstream_ids })),
      graph,
    ),
    about: (id) => cells.get(id) ?? { source: '', language: usualLanguage, upstream_ids: [] },
    run: (id, mode, ask) => desk.report(id, mode, ask),
    close,
  };
}
