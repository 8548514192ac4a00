// Folders that a cell writes to (`@output_dir`) and others read: each file is stored once by its content, and the value is a
// list of them. A reader gets the folder built anew, as files of its own.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { type ArtifactAddress, type ArtifactStore, artifactUri, type NewArtifact } from '../../artifacts/index.ts';
import { digestOfFile, filesBelow, readOwnJson } from '../../files/index.ts';
import type { InputFile, RunResult, ValueRecord } from '../../runtimes/index.ts';
import { CellRefused } from '../languages/index.ts';
import type { CellRun } from './cellRun.ts';
import { inputFiles } from './inputs.ts';

export const folderType = 'dir/manifest';
const fileLabel = '__file__';

const manifestSchema = z.object({
  cell_id: z.string(),
  files: z.record(z.string(), z.object({ sha256: z.string(), size: z.int(), version: z.int() })),
});
type Manifest = z.infer<typeof manifestSchema>;

/** Folders under the run's own, as inputs that the cell writes to: empty, or as the step before left them. */
export async function makeFolders(
  store: ArtifactStore,
  cell: CellRun,
  outputDir: string,
): Promise<Record<string, InputFile>> {
  const made: Record<string, InputFile> = {};
  for (const name of cell.outputDirs) {
    const file = path.join(outputDir, 'output_dirs', name);
    await fs.mkdir(file, { recursive: true });
    const before = cell.folders?.get(name);
    if (before)
      await rebuildFolder(store, cell.notebookId, inputFiles(store, [[name, before]])[name]?.file ?? '', file);
    made[name] = { contentType: 'file/path', file };
  }
  return made;
}

/** Stores what the cell left in its folders, and adds them to what the run gives. */
export async function gatherFolders(
  store: ArtifactStore,
  cell: CellRun,
  run: RunResult,
  outputDir: string,
  describe: (label: string, value: ValueRecord, file: string) => NewArtifact,
): Promise<RunResult> {
  if (cell.outputDirs.length === 0) return run;
  const variables: Record<string, ValueRecord> = { ...run.variables };
  const listings: ValueRecord[] = [];
  for (const name of cell.outputDirs) {
    const folder = path.join(outputDir, 'output_dirs', name);
    await checkFolder(outputDir, folder, name);
    const manifest = await storeFiles(store, cell, folder, describe);
    const text = JSON.stringify(manifest);
    variables[name] = {
      content_type: folderType,
      ...(await written(outputDir, `${name}.dirmanifest.json`, text)),
      preview: `<folder of ${Object.keys(manifest.files).length} files>`,
    };
    const listing = listingOf(name, manifest);
    listings.push({
      content_type: 'text/markdown',
      ...(await written(outputDir, `${name}.listing.md`, listing)),
      markdown_text: listing,
    });
  }
  return { ...run, variables, displays: [...listings, ...run.displays] };
}

/** The cell may have put a link in its place, or in that of a folder above it. */
async function checkFolder(outputDir: string, folder: string, name: string): Promise<void> {
  const real = await fs.realpath(folder).catch(() => undefined);
  if (real !== path.join(await fs.realpath(outputDir), path.relative(outputDir, folder)))
    throw new CellRefused(
      'OutputFolderGone',
      `@output_dir ${name}: the folder that the cell was given is not there any more. Write files into ${name} and leave the folder itself where it is.`,
    );
}

async function storeFiles(
  store: ArtifactStore,
  { cellId }: CellRun,
  folder: string,
  describe: (label: string, value: ValueRecord, file: string) => NewArtifact,
): Promise<Manifest> {
  const files: Manifest['files'] = {};
  const fresh = new Map<string, NewArtifact>();
  for (const name of await filesBelow(folder)) {
    const file = path.join(folder, name);
    const found = await fs.lstat(file);
    // A file with two names may be changed by the other.
    if (!found.isFile() || found.nlink > 1) continue;
    const sha256 = await digestOfFile(file);
    const record = { content_type: 'application/octet-stream', bytes: found.size, sha256 };
    const artifact = describe(`${fileLabel}${sha256}`, record, file);
    files[name] = { sha256, size: found.size, version: 1 };
    if (!fresh.has(sha256) && !(await store.get({ id: artifact.id, version: 1 }))) fresh.set(sha256, artifact);
  }
  if (fresh.size > 0) await store.store([...fresh.values()]);
  return { cell_id: cellId, files };
}

const readManifest = async (file: string): Promise<Manifest> => manifestSchema.parse(await readOwnJson(file));

/** Where the files of a stored folder lie; none of one that cannot be read any more. */
export async function filesOfFolder(
  store: ArtifactStore,
  folder: ArtifactAddress | undefined,
): Promise<ArtifactAddress[]> {
  const manifest = folder && (await readManifest(store.blobPath(folder)).catch(() => undefined));
  if (!manifest) return [];
  const { cell_id, files } = manifest;
  const [notebook = ''] = folder.id.split(`_cell_${cell_id}_`);
  return Object.values(files).map(({ sha256, version }) => ({ id: fileId(notebook, cell_id, sha256), version }));
}

const fileId = (notebook: string, cellId: string, sha256: string): string =>
  `${notebook}_cell_${cellId}_var_${fileLabel}${sha256}`;

/** Builds the folder that a list speaks of. */
export async function rebuildFolder(
  store: ArtifactStore,
  notebookId: string,
  manifestFile: string,
  target: string,
): Promise<void> {
  const { cell_id, files } = await readManifest(manifestFile);
  await fs.mkdir(target, { recursive: true });
  for (const [name, { sha256, version }] of Object.entries(files)) {
    const place = path.join(target, name);
    if (path.relative(target, place).startsWith('..'))
      throw new Error(`The folder holds a file outside itself: ${name}`);
    await fs.mkdir(path.dirname(place), { recursive: true });
    const id = fileId(`nb_${notebookId}`, cell_id, sha256);
    const source = store.blobPath({ id, version });
    await fs.copyFile(source, place, constants.COPYFILE_FICLONE).catch((error: unknown) => {
      throw new Error(
        `${name} of the folder is gone (${artifactUri({ id, version })}); run the cell that wrote it again`,
        {
          cause: error,
        },
      );
    });
  }
}

function listingOf(name: string, { files }: Manifest): string {
  const all = Object.entries(files);
  const total = all.reduce((sum, [, { size }]) => sum + size, 0);
  const title = `**${name}**: ${all.length} ${all.length === 1 ? 'file' : 'files'}, ${inBytes(total)}`;
  if (all.length === 0) return title;
  const rows = all.slice(0, 20).map(([file, { size }]) => `| ${file.replaceAll('|', '\\|')} | ${inBytes(size)} |`);
  const more = all.length > 20 ? [`\n... and ${all.length - 20} more`] : [];
  return [title, '', '| File | Size |', '|---|---|', ...rows, ...more].join('\n');
}

function inBytes(size: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  const power = size < 1024 ? 0 : Math.min(3, Math.floor(Math.log2(size) / 10));
  return power === 0 ? `${size} B` : `${(size / 1024 ** power).toFixed(1)} ${units[power]}`;
}

async function written(
  folder: string,
  file: string,
  text: string,
): Promise<Pick<ValueRecord, 'file' | 'bytes' | 'sha256'>> {
  const place = path.join(folder, file);
  // What a cell put there may be a link.
  await fs.rm(place, { recursive: true, force: true });
  await fs.writeFile(place, text, { flag: 'wx' });
  return { file, bytes: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') };
}
