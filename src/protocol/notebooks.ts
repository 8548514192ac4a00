// Bodies of the notebook routes.
import { z } from 'zod';

export const foundNotebook = z.object({
  path: z.string(),
  name: z.string().nullable(),
  notebook_id: z.string(),
  updated_at: z.string().nullable(),
});

export const discoverBody = z.object({ root: z.string().nullable(), notebooks: z.array(foundNotebook) });

export const sessionsBody = z.object({
  sessions: z.array(z.object({ session_id: z.string(), name: z.string(), path: z.string() })),
});

export type DiscoverBody = z.infer<typeof discoverBody>;
