// Help for somebody who types, and what names stand for. Offsets count UTF-16 units, as editors and JavaScript do.
import { z } from 'zod';

export const hintRequest = z.object({
  /** What the editor shows now. */
  source: z.string().max(1_000_000),
  offset: z.int().min(0),
});

export const suggestionsBody = z.object({
  /**
   * `kind`: function, class, module, instance, statement, keyword, param, property, key or path; in SQL also table, column,
   * file, schema and value.
   */
  items: z.array(z.object({ label: z.string(), kind: z.string() })),
  /** Where what an item replaces begins. */
  from: z.int(),
  /** There are more than were told: ask again when somebody has typed on. */
  truncated: z.boolean(),
});

export const sourceRequest = z.object({ source: z.string().max(1_000_000) });

export const remarksBody = z.object({
  /** Offsets in the source. `code`: as ruff names the rule. */
  remarks: z.array(z.object({ from: z.int(), to: z.int(), code: z.string(), message: z.string() })),
});

/** Null for what cannot be formatted: it is not Python, or holds a mistake. */
export const formattedBody = z.object({ source: z.string().nullable() });

export const helpBody = z.object({ signature: z.string().nullable(), text: z.string() });

export type SuggestionsBody = z.infer<typeof suggestionsBody>;
export type RemarksBody = z.infer<typeof remarksBody>;
export type FormattedBody = z.infer<typeof formattedBody>;
export type HelpBody = z.infer<typeof helpBody>;

export const variablesBody = z.object({
  variables: z.array(
    z.object({
      name: z.string(),
      cell_id: z.string(),
      /** As `pandas.DataFrame`; null of a cell that has not run. */
      type: z.string().nullable(),
      rows: z.int().nullable(),
      columns: z.int().nullable(),
    }),
  ),
});

export type VariableRecord = z.infer<typeof variablesBody>['variables'][number];
