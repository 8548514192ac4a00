// What is remembered of cells between sessions beside their results: what was chosen on widgets, how tests went. It lies in
// the notebook's runtime directory, belongs to this machine, and a file that cannot be read is an empty one.
import path from 'node:path';
import { z } from 'zod';
import { cellTestResult } from '../../protocol/index.ts';
import { openSavedMap } from '../document/index.ts';

const noteSchema = z.object({
  widget_values: z.record(z.string(), z.unknown()).default({}),
  test_result: cellTestResult.nullable().default(null),
  /** Key of the result that came with the notebook and held where it came from. */
  handed_over: z.string().nullable().default(null),
  /** What the last run made that can neither be kept nor made anew, by name, and of which source. */
  unkept: z
    .object({ source_digest: z.string(), values: z.record(z.string(), z.string()) })
    .nullable()
    .default(null),
});
const fileSchema = z.object({ schema_version: z.literal(1), cells: z.record(z.string(), noteSchema) });

export type CellNote = Readonly<z.infer<typeof noteSchema>>;

export interface CellNotes {
  of(cellId: string): CellNote;
  /** Resolves when it is on disk. */
  write(cellId: string, change: Partial<CellNote>): Promise<void>;
  forget(cellId: string): Promise<void>;
}

const empty: CellNote = { widget_values: {}, test_result: null, handed_over: null, unkept: null };

export async function openCellNotes(directory: string): Promise<CellNotes> {
  const notes = await openSavedMap<CellNote>(path.join(directory, '.svc/runtime.json'), {
    parse: (content) => fileSchema.parse(content).cells,
    print: (cells) => ({ schema_version: 1, cells }),
  });
  return {
    of: (cellId) => notes.get(cellId) ?? empty,
    write: (cellId, change) => notes.update(cellId, (note = empty) => ({ ...note, ...change })),
    forget: notes.delete,
  };
}
