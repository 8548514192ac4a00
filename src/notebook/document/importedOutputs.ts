// What cells showed in the program they come from, as Jupyter writes it: kept until they run here for the first time.
import path from 'node:path';
import { z } from 'zod';

export type ImportedOutput = Readonly<Record<string, unknown>>;

const fileSchema = z.object({
  schema_version: z.literal(1),
  cells: z.record(z.string(), z.array(z.record(z.string(), z.unknown()))),
});

export const importedFile = (directory: string): string => path.join(directory, '.svc/imported.json');

export const parseImported = (content: unknown): Readonly<Record<string, readonly ImportedOutput[]>> =>
  fileSchema.parse(content).cells;

export const printImported = (cells: Readonly<Record<string, readonly ImportedOutput[]>>): object => ({
  schema_version: 1,
  cells,
});
