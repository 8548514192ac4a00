// Help from a model with a cell: what is asked for, what would be sent, and the answer as it comes.
import { z } from 'zod';
import { maxSourceCharacters } from './cells.ts';

export const assistTask = z.enum(['fix', 'explain', 'edit', 'write', 'complete']);

export const assistRequest = z.object({
  task: assistTask,
  /** The cell; for `write` the one that the new cell comes after. */
  cell_id: z.string().nullable().default(null),
  /** What the editor shows now; it may not have been saved yet. */
  source: z.string().max(maxSourceCharacters).nullable().default(null),
  /** Where somebody types, in UTF-16 units; `complete` goes on from there, else from the end. */
  offset: z.int().min(0).nullable().default(null),
  /** What the person wants; `edit` and `write` need one. */
  instruction: z.string().max(20_000).default(''),
  /** Whether the model is shown values and what was printed, beside names, types and schemas. */
  include_values: z.boolean().default(false),
});

export const assistOfferBody = z.object({
  /** Null where nobody can be asked. */
  model: z.string().nullable(),
  /** The host that would be asked. */
  host: z.string().nullable(),
});

/** Exactly what would be sent, and to whom. */
export const assistPreviewBody = z.object({
  model: z.string(),
  host: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.string() })),
});

/** One event of the answer. */
export const assistEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('notice'), text: z.string() }),
  z.object({
    type: z.literal('done'),
    model: z.string(),
    /** The source that is proposed, for `complete` what may stand at the cursor; null where the model wrote none, or none was asked for. */
    source: z.string().nullable(),
    /** What it says beside. */
    words: z.string(),
    input_tokens: z.int(),
    output_tokens: z.int(),
  }),
  z.object({ type: z.literal('failed'), message: z.string() }),
]);

export type AssistTask = z.infer<typeof assistTask>;
export type AssistRequest = z.infer<typeof assistRequest>;
export type AssistOfferBody = z.infer<typeof assistOfferBody>;
export type AssistPreviewBody = z.infer<typeof assistPreviewBody>;
export type AssistEvent = z.infer<typeof assistEvent>;
