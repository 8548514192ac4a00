// What one backup holds: every file with its digest, and where it belongs. It is written last, under a name that holds its own
// digest, and until then there is no backup.
import { createHash } from 'node:crypto';
import path from 'node:path';
import { z } from 'zod';
import type { BackupPlace, Bytes } from './place.ts';

/** Below a folder, with plain names only: no manifest may have anything written elsewhere. */
const relativePath = z
  .string()
  .refine(
    (text) => text !== '' && !text.includes('\0') && text.split('/').every((name) => !['', '.', '..'].includes(name)),
  );
const plainName = relativePath.refine((text) => !text.includes('/'));
const digest = z.string().regex(/^[0-9a-f]{64}$/);

const bytesSchema = z.object({ sha256: digest, bytes: z.int().min(0) });
const blobSchema = bytesSchema.extend({ name: plainName, mode: z.int() });
const rowsSchema = z.object({ database: bytesSchema, blobs: z.array(blobSchema) });
const fileSchema = bytesSchema.extend({
  path: relativePath,
  mode: z.int(),
  /** In nanoseconds, as text: seconds since 1970 do not fit a number. */
  modified: z.string().regex(/^-?\d+$/),
  /** Tells whether the file is the one that was copied, where it lay. */
  identity: z.string(),
});
const folderSchema = z.object({
  /** Below the folder of all notebooks; empty for what lies there beside notebooks. */
  path: z.union([z.literal(''), relativePath]),
  isNotebook: z.boolean(),
  files: z.array(fileSchema),
  folders: z.array(z.object({ path: relativePath, mode: z.int() })),
  links: z.array(z.object({ path: relativePath, target: z.string() })),
  /** Of a notebook that has run. */
  results: rowsSchema.nullable(),
});
const manifestSchema = z.object({
  format: z.literal(1),
  made_at: z.string(),
  made_by: z.string(),
  folders: z.array(folderSchema),
  store: rowsSchema.nullable(),
  /** The catalog of tables that a server keeps itself. */
  catalog: bytesSchema.nullable(),
  /** The project file with the settings. */
  settings: bytesSchema.nullable(),
  /** What was not as it should be where it was copied from. */
  warnings: z.array(z.string()),
});

export type BlobCopy = Readonly<z.infer<typeof blobSchema>>;
export type RowsCopy = Readonly<z.infer<typeof rowsSchema>>;
export type FileCopy = Readonly<z.infer<typeof fileSchema>>;
export type FolderCopy = Readonly<z.infer<typeof folderSchema>>;
export type Manifest = Readonly<z.infer<typeof manifestSchema>>;

export class BackupDamaged extends Error {
  override readonly name = 'BackupDamaged';
}

/** Oldest first. */
export async function manifestNames(place: BackupPlace): Promise<string[]> {
  const names = await place.manifests();
  return names.filter((name) => /^[0-9TZ]+-[0-9a-f]{32}\.json$/.test(name)).sort();
}

export function printManifest(manifest: Manifest): { name: string; text: string } {
  const text = `${JSON.stringify(manifest)}\n`;
  return { name: `${manifest.made_at.replaceAll(/[-:.]/g, '')}-${sumOf(text)}.json`, text };
}

const sumOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

export async function readManifest(place: BackupPlace, name: string): Promise<Manifest> {
  const text = (await place.readManifest(name)).toString();
  if (!name.endsWith(`-${sumOf(text)}.json`))
    throw new BackupDamaged(`backups/${name} is not what was written; use an earlier backup (--at).`);
  const checked = manifestSchema.safeParse(JSON.parse(text));
  if (!checked.success)
    throw new BackupDamaged(`backups/${name} was made by another version of svc; restore it with that one.`);
  return checked.data;
}

/** Every object that a backup needs. */
export function* bytesIn(manifest: Manifest): Generator<Bytes & { readonly what: string }> {
  for (const { path: folder, files, results } of manifest.folders) {
    for (const file of files) yield { ...file, what: path.posix.join(folder, file.path) };
    if (results) yield* bytesOfRows(results, path.posix.join(folder, '.svc/artifacts'));
  }
  if (manifest.store) yield* bytesOfRows(manifest.store, 'the store');
  if (manifest.catalog) yield { ...manifest.catalog, what: 'the catalog of tables' };
  if (manifest.settings) yield { ...manifest.settings, what: 'the settings' };
}

function* bytesOfRows({ database, blobs }: RowsCopy, where: string): Generator<Bytes & { readonly what: string }> {
  yield { ...database, what: `${where}: artifacts.sqlite` };
  for (const blob of blobs) yield { ...blob, what: `${where}: blobs/${blob.name}` };
}
