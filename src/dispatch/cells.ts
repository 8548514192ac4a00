// The cells that servers handed over, by the name under which they ask about them. One that nobody has asked about for a while
// has no server any more: it is ended and forgotten.
import type { Log } from '../observability/index.ts';
import { createWatchedJob, type JobEnding } from '../worker/jobs.ts';
import type { Cell, CellNote, SavedEnding } from './cell.ts';
import type { Spool } from './spool.ts';

export interface Cells {
  find(id: string): Cell | undefined;
  withBuild(buildId: string): Cell[];
  take(note: CellNote): Promise<Cell>;
  /** Notes how it ended before anybody is told. */
  end(cell: Cell, ending: SavedEnding): void;
  /** Those that nobody has asked about for so long. */
  abandoned(milliseconds: number): Cell[];
  forget(cell: Cell): Promise<void>;
  all(): readonly Cell[];
}

export async function openCells(spool: Spool, log: Log): Promise<Cells> {
  const cells = new Map<string, Cell>();

  function add(note: CellNote): Cell {
    const job = createWatchedJob({ state: 'queued' });
    const cell: Cell = { note, job, failedStarts: 0, askedAt: performance.now() };
    if (note.ending) job.end(told(note.id, note.ending));
    cells.set(note.id, cell);
    return cell;
  }

  const told = (id: string, ending: SavedEnding): JobEnding =>
    ending.kind === 'bundle' ? { ...ending, file: spool.bundleOf(id) } : ending;

  for (const note of await spool.cells()) add(note);

  return {
    find: (id) => cells.get(id),
    withBuild: (buildId) => [...cells.values()].filter(({ note }) => note.order.buildId === buildId),
    all: () => [...cells.values()],
    async take(note) {
      await spool.save(note);
      return add(note);
    },
    end(cell, ending) {
      if (cell.note.ending) return;
      cell.note = { ...cell.note, ending };
      const tell = (): void => cell.job.end(told(cell.note.id, ending));
      spool.save(cell.note).then(tell, (error: unknown) => {
        log.error('The end of a cell could not be noted', { error });
        tell();
      });
    },
    abandoned: (milliseconds) =>
      [...cells.values()].filter(({ askedAt }) => performance.now() - askedAt > milliseconds),
    async forget({ note }) {
      cells.delete(note.id);
      await spool.drop(note.id);
    },
  };
}
