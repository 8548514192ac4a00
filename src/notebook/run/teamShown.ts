// What a cell printed and displayed, as one more value of its result in the team's store.
import { z } from 'zod';
import { cellEffects } from '../../protocol/index.ts';
import { valueRecordSchema } from '../../runtimes/index.ts';

export const shownLabel = '__shown__';

export const shownSchema = z.object({
  stdout: z.string(),
  stderr: z.string(),
  /** What the run touched; left out by older servers. */
  effects: cellEffects.optional().catch(undefined),
  displays: z.array(
    z.object({
      /** The value that holds its bytes, one of the cell's variables or its own; null when it has none. */
      label: z.string().nullable(),
      record: valueRecordSchema.extend({ scalar: z.string().optional() }),
    }),
  ),
});

export type Shown = Readonly<z.infer<typeof shownSchema>>;
