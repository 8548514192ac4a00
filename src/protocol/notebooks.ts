// Bodies of the notebook routes.
import { z } from 'zod';
import { ambiguousName } from './rewrites.ts';

export const foundNotebook = z.object({
  path: z.string(),
  name: z.string().nullable(),
  notebook_id: z.string(),
  updated_at: z.string().nullable(),
  /** Only where it is asked for. */
  last_run: z
    .object({
      /** Milliseconds since 1970. */
      at: z.number(),
      failed_cells: z.int(),
    })
    .nullable()
    .optional(),
});

export const discoverBody = z.object({ root: z.string().nullable(), notebooks: z.array(foundNotebook) });

export const sessionsBody = z.object({
  sessions: z.array(
    z.object({
      session_id: z.string(),
      name: z.string(),
      path: z.string(),
      notebook_id: z.string(),
      created_at: z.string().nullable(),
      updated_at: z.string().nullable(),
      /** A cell runs now. */
      is_running: z.boolean(),
    }),
  ),
});

/** What became of a notebook of another program. */
export const foreignReport = z.object({
  markdown_cells: z.int(),
  code_cells: z.int(),
  suppressed_outputs: z.int(),
  skipped_cells: z.array(z.string()),
  translated_magics: z.array(z.string()),
  dropped_magics: z.array(z.string()),
  dropped_shells: z.array(z.string()),
  captured_deps: z.array(z.string()),
  /** Packages that its cells do without where they are not there; not installed. */
  optional_deps: z.array(z.string()),
  /** Files that its cells name. */
  data_files: z.array(
    z.object({
      /** From the notebook file, and from the folder that cells run in. */
      path: z.string(),
      /** Null for one that does not lie beside the notebook file. */
      size: z.int().nullable(),
      /** So large that it is brought only when asked for. */
      is_large: z.boolean(),
      standing: z.enum(['brought', 'beside', 'missing']),
      cell_ids: z.array(z.string()),
    }),
  ),
  warnings: z.array(z.string()),
  /** What was changed in which cell, and in which line of the cell as it came. */
  findings: z.array(
    z.object({
      cell_id: z.string(),
      line: z.int(),
      kind: z.enum(['translated', 'kept', 'dropped', 'silenced', 'differs', 'continued']),
      text: z.string(),
      /** The cell whose figure is continued: both can be joined. */
      above_cell_id: z.string().optional(),
    }),
  ),
  /** Names that several cells write, and what each cell reads. */
  ambiguous_names: z.array(ambiguousName),
  report_path: z.string(),
  report_text: z.string(),
});

export type ForeignReport = z.infer<typeof foreignReport>;

/** What came with a snapshot of one of ours. */
export const snapshotReport = z.object({
  imported_artifacts: z.int(),
  /** The id that another notebook has here; null when it was kept. */
  replaced_notebook_id: z.string().nullable(),
  /** Cells whose results did not come along. */
  by_reference_cells: z.array(z.string()),
});

export type SnapshotReport = z.infer<typeof snapshotReport>;

export type DiscoverBody = z.infer<typeof discoverBody>;
