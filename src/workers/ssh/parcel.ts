// The worker program as it travels to another machine: what is built of it, the parts that are not TypeScript, and the
// packages by which it reaches object stores; and this machine's Node where the other one has none that is new enough.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { z } from 'zod';
import { buildStep } from '../../../scripts/setup/build.js';
import { isCheckout, root } from '../../../scripts/setup/places.js';
import { filesOf, fingerprint } from '../../../scripts/setup/stamp.js';

const parts = ['bin', 'dist', 'python', 'r', 'scripts/setup', 'scripts/setup.js', 'package.json'];
const packages = [
  '@aws-sdk/client-s3',
  '@aws-sdk/lib-storage',
  '@azure/identity',
  '@azure/storage-blob',
  '@google-cloud/storage',
];
const manifestSchema = z.looseObject({ dependencies: z.record(z.string(), z.string()).default({}) });

export interface Parcel {
  /** Changes with what it holds. */
  readonly key: string;
  /** A gzipped tar. Throws nothing: one that breaks off does not unpack. */
  open(options: { readonly withNode: boolean }): Readable;
}

/** In a checkout whose sources changed, builds the programs first. */
export async function makeParcel(): Promise<Parcel> {
  if (isCheckout && !(await buildStep.isDone())) await buildStep.run(() => {});
  const files = parts
    .map((part) => path.join(root, part))
    .flatMap((part) => (fs.statSync(part).isDirectory() ? filesOf(part) : [part]))
    .filter((file) => !file.includes('__pycache__'));
  return {
    key: fingerprint(files).slice(0, 16),
    open({ withNode }) {
      const folders = closure();
      const own = folders.filter((folder) => folder.startsWith(root));
      const beside = folders.filter((folder) => !folder.startsWith(root));
      const shared = path.resolve(root, '../..');
      const tar = spawn(
        'tar',
        [
          ...[
            '-c',
            '-h',
            '-f',
            '-',
            '--exclude=__pycache__',
            '--exclude=python/*/tests',
            '--exclude=*.test.js',
            '-C',
            root,
            ...parts,
          ],
          ...own.map((folder) => path.relative(root, folder)),
          ...(beside.length === 0 ? [] : ['-C', shared, ...beside.map((folder) => path.relative(shared, folder))]),
          ...(withNode ? ['-C', path.dirname(process.execPath), path.basename(process.execPath)] : []),
        ],
        { stdio: ['ignore', 'pipe', 'ignore'] },
      );
      const zipped = createGzip({ level: 1 });
      tar.on('error', (error) => zipped.destroy(error));
      return tar.stdout.pipe(zipped);
    },
  };
}

/** The folders of the packages and of all that these need; nested ones come with the folder that holds them. */
function closure(): string[] {
  const found = new Set<string>();
  function add(name: string, from: string): void {
    const folder = folderOf(name, from);
    if (folder === undefined || found.has(folder)) return;
    found.add(folder);
    const manifest = manifestSchema.parse(JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')));
    for (const needed of Object.keys(manifest.dependencies)) add(needed, folder);
  }
  for (const name of packages) add(name, root);
  return [...found].filter((folder) => ![...found].some((other) => folder.startsWith(`${other}/`)));
}

/** As Node finds a package: the nearest one going up. */
function folderOf(name: string, from: string): string | undefined {
  const folder = path.join(from, 'node_modules', name);
  if (fs.existsSync(path.join(folder, 'package.json'))) return folder;
  return from === path.dirname(from) ? undefined : folderOf(name, path.dirname(from));
}
