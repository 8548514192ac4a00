// Notebooks of other programs, read by the analysis process.

import { z } from 'zod';
import { cellLanguages } from '../cellLanguages.ts';
import type { Engine } from './engine.ts';
import { ambiguousNamesSchema } from './explicitNames.ts';
import type { Json } from './frames.ts';

const texts = z.array(z.string());
const members = z.record(z.string(), z.unknown());
const schema = z.object({
  cells: z.array(
    z.object({
      language: z.enum(cellLanguages),
      source: z.string(),
      /** As Jupyter writes them. */
      outputs: z.array(members).default([]),
      /** What only Jupyter knows of it. */
      jupyter: members.default({}),
    }),
  ),
  jupyter: z
    .object({
      metadata: members,
      /** Cells that have no place here, by the place of the cell above; -1 for the top. */
      others: z.array(z.object({ after: z.int(), cell: members })),
    })
    .default({ metadata: {}, others: [] }),
  packages: texts,
  /** Packages that its cells do without where they are not there. */
  optional: texts,
  /** Files that its cells name, by the places of the cells; one that is not beside the notebook is read all the same. */
  files: z.array(z.object({ path: z.string(), cells: z.array(z.int()), is_beside: z.boolean() })),
  report: z.object({
    markdown_cells: z.int(),
    code_cells: z.int(),
    suppressed_outputs: z.int(),
    skipped_cells: texts,
    translated_magics: texts,
    dropped_magics: texts,
    dropped_shells: texts,
    captured_deps: texts,
    warnings: texts,
    /** What was changed in which cell, by its place, and in which line of the cell as it came. */
    findings: z.array(
      z.object({
        cell: z.int(),
        line: z.int(),
        kind: z.enum(['translated', 'kept', 'dropped', 'silenced', 'differs', 'continued']),
        text: z.string(),
        /** The cell whose figure is continued. */
        above: z.int().optional(),
      }),
    ),
    /** Names that several cells write. */
    ambiguous: ambiguousNamesSchema,
  }),
});

export type ForeignNotebook = z.infer<typeof schema>;

/** A file that lies beside a notebook; of modules also what they say, so that what they import is found. */
export interface FileBeside {
  readonly path: string;
  readonly text?: string | undefined;
}

export interface ForeignNotebooks {
  /** Rejects with EngineRefused when it is none. */
  jupyter(notebook: Json, beside?: readonly FileBeside[]): Promise<ForeignNotebook>;
  /** A Python file with `# %%` cells, or one of marimo's. */
  script(text: string, beside?: readonly FileBeside[]): Promise<ForeignNotebook>;
}

export const foreignNotebooks = (engine: Pick<Engine, 'request'>): ForeignNotebooks => ({
  jupyter: (notebook, beside) => engine.request('convert_ipynb', { notebook, ...told(beside) }, { schema }),
  script: (text, beside) => engine.request('convert_script', { text, ...told(beside) }, { schema }),
});

const told = (files: readonly FileBeside[] = []): { beside: string[]; modules: Record<string, string> } => ({
  beside: files.map(({ path }) => path),
  modules: Object.fromEntries(files.flatMap(({ path, text }) => (text === undefined ? [] : [[path, text]]))),
});
