// Help for somebody who types. Offsets count UTF-16 units, as editors and JavaScript do.
import { z } from 'zod';

export const hintRequest = z.object({
  /** What the editor shows now. */
  source: z.string().max(1_000_000),
  offset: z.int().min(0),
});

export const suggestionsBody = z.object({
  /** `kind`: function, class, module, instance, statement, keyword, param, property, key or path. */
  items: z.array(z.object({ label: z.string(), kind: z.string() })),
  /** Where what an item replaces begins. */
  from: z.int(),
});

export const helpBody = z.object({ signature: z.string().nullable(), text: z.string() });

export type SuggestionsBody = z.infer<typeof suggestionsBody>;
export type HelpBody = z.infer<typeof helpBody>;
