// What is remembered of cells between sessions beside their results: what was chosen on widgets, how tests went. It lies in
// the notebook's runtime directory, belongs to this machine, and a file that cannot be read is an empty one.
import path from 'node:path';
import { z } from 'zod';
import { readOwnFile } from '../../files/index.ts';
import { cellTestResult } from '../../protocol/index.ts';
import { writeAtomically } from '../document/index.ts';

const noteSchema = z.object({
  widget_values: z.record(z.string(), z.unknown()).default({}),
  test_result: cellTestResult.nullable().default(null),
});
const fileSchema = z.object({ schema_version: z.literal(1), cells: z.record(z.string(), noteSchema) });

export type CellNote = Readonly<z.infer<typeof noteSchema>>;

export interface CellNotes {
  of(cellId: string): CellNote;
  /** Resolves when it is on disk. */
  write(cellId: string, change: Partial<CellNote>): Promise<void>;
  forget(cellId: string): Promise<void>;
}

const empty: CellNote = { widget_values: {}, test_result: null };

export async function openCellNotes(directory: string): Promise<CellNotes> {
  const file = path.join(directory, '.svc/runtime.json');
  const notes = new Map(Object.entries(await read(file)));
  let written: Promise<unknown> = Promise.resolve();

  function save(): Promise<void> {
    const saving = written.then(() => {
      const cells = Object.fromEntries(notes);
      return writeAtomically(file, `${JSON.stringify({ schema_version: 1, cells }, null, 1)}\n`);
    });
    written = saving.catch(() => {});
    return saving;
  }

  return {
    of: (cellId) => notes.get(cellId) ?? empty,
    write(cellId, change) {
      notes.set(cellId, { ...(notes.get(cellId) ?? empty), ...change });
      return save();
    },
    async forget(cellId) {
      if (notes.delete(cellId)) await save();
    },
  };
}

async function read(file: string): Promise<Record<string, CellNote>> {
  try {
    return fileSchema.parse(JSON.parse(String(await readOwnFile(file)))).cells;
  } catch {
    return {};
  }
}
