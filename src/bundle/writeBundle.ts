// Packs what a run left in its folder: the console, the files of output folders, those of its values, and last the manifest
// that names them.
import fs from 'node:fs/promises';
import path from 'node:path';
import { filesBelow } from '../files/index.ts';
import type { RunResult } from '../runtimes/index.ts';
import { type BundleFacts, manifestOf } from './manifest.ts';
import { packTar, type TarEntry } from './tar.ts';

export interface BundleParts extends Omit<BundleFacts, 'outputDirs'> {
  readonly run: RunResult;
  /** Holds the files of values. */
  readonly folder: string;
  /** Name of an output folder → where it lies. */
  readonly outputDirs: Readonly<Record<string, string>>;
}

export async function writeBundle(parts: BundleParts, file: string): Promise<number> {
  const { run, folder, streamed } = parts;
  const outputDirs: Record<string, Record<string, number>> = {};
  const folders: TarEntry[] = [];
  for (const name of Object.keys(parts.outputDirs).sort()) {
    const root = parts.outputDirs[name] ?? '';
    const sent = new Set(streamed?.[name]);
    const index: Record<string, number> = {};
    for (const { path: inside, size } of await filesIn(root)) {
      if (sent.has(inside)) continue;
      index[inside] = size;
      folders.push({ name: `dirs/${name}/${inside}`, content: path.join(root, inside) });
    }
    outputDirs[name] = index;
  }
  const records = [...Object.values(run.variables), ...run.displays];
  const values = new Set(records.flatMap((record) => (record.file === undefined ? [] : [record.file])));
  const manifest = manifestOf(run, { ...parts, outputDirs });
  const entries: TarEntry[] = [
    { name: 'stdout.txt', content: Buffer.from(run.stdout) },
    { name: 'stderr.txt', content: Buffer.from(run.stderr) },
    ...folders,
    ...[...values].map((name) => ({ name: `files/${name}`, content: path.join(folder, name) })),
    { name: 'manifest.json', content: Buffer.from(JSON.stringify(manifest, null, 2)) },
  ];
  await fs.writeFile(file, packTar(entries));
  return (await fs.stat(file)).size;
}

export interface FolderFile {
  /** Relative, with `/`. */
  readonly path: string;
  readonly size: number;
  readonly changed: number;
}

/** Regular files only: a link may lead anywhere. */
export async function filesIn(root: string): Promise<FolderFile[]> {
  const found: FolderFile[] = [];
  for (const name of await filesBelow(root)) {
    const facts = await fs.lstat(path.join(root, name)).catch(() => undefined);
    if (facts?.isFile()) found.push({ path: name, size: facts.size, changed: facts.mtimeMs });
  }
  return found;
}
