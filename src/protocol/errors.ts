// Bodies of refusals. Most carry a sentence; some an object with a stable name; schema failures a list.
import { z } from 'zod';

export const detailBody = z.object({ detail: z.string() }).meta({ description: 'What was wrong and what to do' });

export const detailObjectBody = z
  .object({ detail: z.union([z.string(), z.looseObject({ message: z.string() })]) })
  .meta({ description: 'What was wrong, in words or under a stable name (`error` or `code`) with a `message`' });

export const validationBody = z
  .object({
    detail: z.array(
      z.object({
        type: z.string(),
        loc: z.array(z.union([z.string(), z.int()])),
        msg: z.string(),
        ctx: z.record(z.string(), z.unknown()).optional(),
      }),
    ),
  })
  .meta({ description: 'The request does not fit its schema' });

export type ValidationBody = z.infer<typeof validationBody>;
