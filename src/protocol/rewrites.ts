// Changes of several cells at once: names that several cells write get names of their own, and cells that belong together are joined.
import { z } from 'zod';
import { cellRecord, dagRecord } from './cells.ts';

/** A name that several cells write. */
export const ambiguousName = z.object({
  name: z.string(),
  cells: z.array(
    z.object({
      cell_id: z.string(),
      /** It gives the name to a value of its own. */
      defines: z.boolean(),
      /** The cell whose value it reads; null where it reads none of the notebook. */
      reads_cell_id: z.string().nullable(),
    }),
  ),
});

export const ambiguousNamesBody = z.object({ names: z.array(ambiguousName) });

const changedCell = z.object({
  cell_id: z.string(),
  before: z.string(),
  after: z.string(),
  /** Lines that differ, counted from 1 in the text after; `before` is null for a line that is new. */
  lines: z.array(z.object({ line: z.int(), before: z.string().nullable(), after: z.string() })),
});

const explicitPlan = z.object({
  name: z.string(),
  /** Cells from which on the name is another. */
  steps: z.array(z.object({ cell_id: z.string(), name: z.string() })),
  /** Definitions that keep the name that is in force, and why. */
  kept: z.array(z.object({ cell_id: z.string(), reason: z.string() })),
  changes: z.array(changedCell),
});

/** `token`: what was looked at; the change is made only while all of it is as it was. */
export const explicitPreviewBody = explicitPlan.extend({ token: z.string() });

export const makeExplicitRequest = z.object({
  name: z.string().max(200),
  token: z.string().max(100),
  author: z.string().max(128).nullable().default(null),
});

export const makeExplicitBody = explicitPlan.extend({ cells: z.array(cellRecord), dag: dagRecord });

/** A line of a cell that means the name. */
export const namePlace = z.object({ cell_id: z.string(), line: z.int(), text: z.string(), defines: z.boolean() });
export const namePlacesBody = z.object({ name: z.string(), places: z.array(namePlace) });

export const renamePreviewBody = z.object({
  name: z.string(),
  to: z.string(),
  changes: z.array(changedCell),
  token: z.string(),
});

export const renameRequest = makeExplicitRequest.extend({ to: z.string().max(200) });
export const renameBody = renamePreviewBody.extend({ cells: z.array(cellRecord), dag: dagRecord });

export type NamePlace = z.infer<typeof namePlace>;
export type NamePlacesBody = z.infer<typeof namePlacesBody>;
export type RenamePreviewBody = z.infer<typeof renamePreviewBody>;

export const joinCellsRequest = z.object({
  cell_ids: z.array(z.string()).min(2).max(100),
  author: z.string().max(128).nullable().default(null),
});

/** `before`: what there was, for whoever takes it back. */
export const joinCellsBody = z.object({
  cell_id: z.string(),
  removed_cell_ids: z.array(z.string()),
  before: z.object({ source: z.string(), cell_ids: z.array(z.string()) }),
  cells: z.array(cellRecord),
  dag: dagRecord,
});

export type JoinCellsBody = z.infer<typeof joinCellsBody>;
export type AmbiguousName = z.infer<typeof ambiguousName>;
export type AmbiguousNamesBody = z.infer<typeof ambiguousNamesBody>;
export type ExplicitPlanRecord = z.infer<typeof explicitPlan>;
export type ExplicitPreviewBody = z.infer<typeof explicitPreviewBody>;
export type MakeExplicitBody = z.infer<typeof makeExplicitBody>;
