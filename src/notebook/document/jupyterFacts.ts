// What Jupyter says of a notebook that came from there and that has no place in ours: its kernel, tags and other metadata, cells
// that only Jupyter has. It lies beside the cells, is committed with them, and goes back with them.
import path from 'node:path';
import { z } from 'zod';
import { readOwnFile } from '../../files/index.ts';

export const jupyterFileName = 'jupyter.json';

const members = z.record(z.string(), z.unknown());

const cellFacts = z.object({
  id: z.string().optional(),
  metadata: members.optional(),
  attachments: members.optional(),
  execution_count: z.int().optional(),
  /** As it came, where it was translated; it goes back so while the translation is as it was. */
  source: z.string().optional(),
  became_sha256: z.string().optional(),
});

const factsSchema = z.object({
  metadata: members.default({}),
  cells: z.record(z.string(), cellFacts).default({}),
  /** Cells that have no place here, as they came; `after` is ours, null at the top. */
  others: z.array(z.object({ after: z.string().nullable(), cell: members })).default([]),
});

export type JupyterFacts = z.infer<typeof factsSchema>;
export type JupyterCellFacts = z.infer<typeof cellFacts>;

/** Nothing where it did not come from Jupyter, or somebody broke the file: an export does without. */
export async function readJupyterFacts(directory: string): Promise<JupyterFacts> {
  const text = await readOwnFile(path.join(directory, jupyterFileName)).catch(() => '{}');
  const { data } = factsSchema.safeParse(parsed(String(text)));
  return data ?? { metadata: {}, cells: {}, others: [] };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const printJupyterFacts = (facts: JupyterFacts): string => `${JSON.stringify(facts, null, 1)}\n`;
