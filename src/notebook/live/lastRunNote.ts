// When cells of a notebook last ran and how many of them fail, kept beside it for lists of notebooks that are not open. It is
// a hint: written a moment after the last cell, and a file that cannot be read says nothing.
import path from 'node:path';
import { z } from 'zod';
import { readOwnJson } from '../../files/index.ts';
import { writeAtomically } from '../document/index.ts';

const schema = z.object({
  /** Milliseconds since 1970. */
  at: z.number(),
  failed_cells: z.int(),
});

export type LastRunNote = Readonly<z.infer<typeof schema>>;

export interface LastRunNotes {
  /** A cell has run. */
  settled(): void;
  /** Writes what is still to be written. */
  settledWrites(): Promise<void>;
}

const restMilliseconds = 500;
const maxNoteBytes = 16 * 1024;
const fileOf = (directory: string): string => path.join(directory, '.svc/last_run.json');

export function createLastRunNotes(directory: string, failedCells: () => number): LastRunNotes {
  let due: NodeJS.Timeout | undefined;
  let at = 0;
  let written: Promise<void> = Promise.resolve();

  function write(): void {
    due = undefined;
    const text = `${JSON.stringify({ at, failed_cells: failedCells() })}\n`;
    written = written.then(() => writeAtomically(fileOf(directory), text)).catch(() => {});
  }

  return {
    settled() {
      at = Date.now();
      clearTimeout(due);
      due = setTimeout(write, restMilliseconds);
    },
    async settledWrites() {
      clearTimeout(due);
      if (due) write();
      await written;
    },
  };
}

export async function readLastRun(directory: string): Promise<LastRunNote | null> {
  try {
    return schema.parse(await readOwnJson(fileOf(directory), maxNoteBytes));
  } catch {
    return null;
  }
}
