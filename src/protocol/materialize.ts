// `POST /v1/materialize`.
import { z } from 'zod';

export const materializeRequest = z.object({
  inputs: z.array(z.string()),
  transform: z.object({ executor: z.string(), params: z.record(z.string(), z.unknown()).default({}) }),
  name: z.string().nullable().default(null),
  mode: z.string().default('stream'),
  refresh: z.boolean().default(false),
});
