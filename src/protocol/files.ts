// The files that cells of a notebook read and write by plain names.
import { z } from 'zod';

export const fileEntry = z.object({
  name: z.string(),
  /** As cells name it: from the folder that they run in. */
  path: z.string(),
  kind: z.enum(['file', 'folder']),
  /** Null of a folder. */
  bytes: z.int().nullable(),
  /** In seconds since 1970. */
  modified_at: z.number(),
});

export const filesBody = z.object({
  /** The folder that is listed; empty for the one that cells run in. */
  path: z.string(),
  /** Folders first, both by name. */
  entries: z.array(fileEntry),
  /** How many there are; more than the entries when the list was cut. */
  total: z.int(),
});

export type FileEntry = z.infer<typeof fileEntry>;
export type FilesBody = z.infer<typeof filesBody>;
