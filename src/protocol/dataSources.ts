// Where the data of a notebook lies and which model it asks, as it is shown: without secrets, and fit to be sent back.
import { z } from 'zod';

const anything = z.record(z.string(), z.unknown());

export const mountRecord = z.object({
  name: z.string(),
  uri: z.string(),
  mode: z.enum(['ro', 'rw']),
  pin: z.string().nullable(),
  options: anything,
  credential: z.string().nullable(),
});

/** Keys besides these are the driver's own. */
export const connectionRecord = z.looseObject({
  name: z.string(),
  driver: z.string(),
  auth: z.record(z.string(), z.string()),
  options: anything,
  credential: z.string().nullable(),
});

/** The model that a notebook names for itself, and where it is asked. */
export const aiRecord = z.object({ model: z.string().nullable(), base_url: z.string().nullable() });
export type AiRecord = z.infer<typeof aiRecord>;

export const malformedConnection = z.looseObject({ name: z.string(), error: z.string() });

/** The first rows of a table, as texts. */
export const tablePreviewBody = z.object({
  columns: z.array(z.object({ name: z.string(), type: z.string() })).readonly(),
  rows: z.array(z.array(z.string().nullable()).readonly()).readonly(),
});

/** What lies at a mount. */
export const mountFoundBody = z.object({
  /** Of a folder of this machine: what lies right in it. */
  files: z.int(),
  /** Null where nobody counted. */
  bytes: z.number().nullable(),
});

/** Tables and columns of a database. */
export const databaseSchemaBody = z.object({
  connection: z.string(),
  driver: z.string(),
  tables: z.array(
    z.object({
      catalog: z.string().nullable(),
      schema: z.string().nullable(),
      name: z.string(),
      columns: z.array(z.object({ name: z.string(), type: z.string(), nullable: z.boolean() })),
    }),
  ),
});

export type TablePreviewBody = z.infer<typeof tablePreviewBody>;
export type MountFoundBody = z.infer<typeof mountFoundBody>;
export type DatabaseSchemaBody = z.infer<typeof databaseSchemaBody>;
export type MountRecord = z.infer<typeof mountRecord>;
export type ConnectionRecord = z.infer<typeof connectionRecord>;
export type MalformedConnectionRecord = z.infer<typeof malformedConnection>;
