// Where the data of a notebook lies, as it is shown: without secrets, and fit to be sent back.
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

export const malformedConnection = z.looseObject({ name: z.string(), error: z.string() });

export type MountRecord = z.infer<typeof mountRecord>;
export type ConnectionRecord = z.infer<typeof connectionRecord>;
export type MalformedConnectionRecord = z.infer<typeof malformedConnection>;
