// Names that several cells write, and the edits that give each definition a name of its own: worked out by the analysis process
// (`python/svc_engine/explicit`), which changes nothing.
import { z } from 'zod';
import type { Engine } from './engine.ts';

/** Cells are told by their place, from 0. */
export const ambiguousNamesSchema = z.array(
  z.object({
    name: z.string(),
    /** Who defines it anew or reads it, and whose definition a reader gets; null where no cell above has one. */
    cells: z.array(z.object({ cell: z.int(), defines: z.boolean(), reads: z.int().nullable() })),
  }),
);

const changeSchema = z.object({
  cell: z.int(),
  /** Null for a cell of another language: how it names what it reads and what it defines is told instead. */
  source: z.string().nullable(),
  reads: z.string().nullable(),
  defines: z.string().nullable(),
});

const planSchema = z.object({
  /** Cells from which on the name is another. */
  steps: z.array(z.object({ cell: z.int(), name: z.string() })),
  /** Definitions that keep the name that is in force, and why. */
  kept: z.array(z.object({ cell: z.int(), reason: z.string() })),
  cells: z.array(changeSchema),
});

const placesSchema = z.array(z.object({ cell: z.int(), line: z.int(), binds: z.boolean() }));

export type AmbiguousNames = z.infer<typeof ambiguousNamesSchema>;
export type ExplicitPlan = z.infer<typeof planSchema>;
export type NamedChange = z.infer<typeof changeSchema>;
export type NamePlaces = z.infer<typeof placesSchema>;

export interface NamedCell {
  readonly language: string;
  readonly source: string;
  /** Of a cell that is not Python. */
  readonly reads: readonly string[];
  readonly defines: readonly string[];
  /** One of several cells that define the same on purpose. */
  readonly variant?: boolean;
  /** Why the name must stay as it is up to here. */
  readonly fixed?: string | null;
  readonly tests?: string;
}

export interface ExplicitNames {
  ambiguous(cells: readonly NamedCell[]): Promise<AmbiguousNames>;
  /** Rejects with EngineRefused where a cell could not be edited without changing what it means. */
  plan(name: string, cells: readonly NamedCell[]): Promise<ExplicitPlan>;
  /** Lines, from 1, of cells that mean the name. */
  places(name: string, cells: readonly NamedCell[]): Promise<NamePlaces>;
  /** Rejects with EngineRefused where the new name is taken, or something would come to mean another. */
  rename(name: string, to: string, cells: readonly NamedCell[]): Promise<readonly NamedChange[]>;
}

export const explicitNames = (engine: Pick<Engine, 'request'>): ExplicitNames => ({
  ambiguous: (cells) => engine.request('ambiguous_names', { cells: plain(cells) }, { schema: ambiguousNamesSchema }),
  plan: (name, cells) => engine.request('make_explicit', { name, cells: plain(cells) }, { schema: planSchema }),
  places: (name, cells) => engine.request('name_places', { name, cells: plain(cells) }, { schema: placesSchema }),
  rename: (name, to, cells) =>
    engine.request('rename_name', { name, to, cells: plain(cells) }, { schema: z.array(changeSchema) }),
});

const plain = (cells: readonly NamedCell[]) =>
  cells.map(({ language, source, reads, defines, variant = false, fixed = null, tests = '' }) => ({
    language,
    source,
    reads: [...reads],
    defines: [...defines],
    variant,
    fixed,
    tests,
  }));
