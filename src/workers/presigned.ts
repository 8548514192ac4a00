// A cell's bytes by way of the object store: inputs are put there for the worker, and its bundle is fetched from there. Nothing
// of it stays when the run is over.
import fs from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Blobs, LateUploads } from '../artifacts/index.ts';
import { refusals } from '../errors/index.ts';
import { intoFile } from '../files/index.ts';
import type { PresignedUpload } from '../objectStores/index.ts';

export interface PresignedPlaces {
  /** Where each input lies, in their order, and where the bundle goes: each lease has a place of its own. */
  addresses(lease: string): Promise<{ readonly inputs: readonly string[]; readonly output: PresignedUpload }>;
  /** The file that now holds what the worker brought under the lease; undefined when it brought nothing. */
  bring(lease: string): Promise<string | undefined>;
  drop(): Promise<void>;
}

export interface PresignedParts {
  readonly id: string;
  readonly folder: string;
  readonly files: readonly string[];
  readonly maxBytes: number;
  readonly seconds: number;
}

export interface PresignedStore {
  readonly blobs: Blobs;
  readonly lateUploads: LateUploads;
}

/** Undefined where bytes do not lie in an object store. */
export async function openPresigned(
  { blobs, lateUploads }: PresignedStore,
  { id, folder, files, maxBytes, seconds }: PresignedParts,
): Promise<PresignedPlaces | undefined> {
  const { presigner } = blobs;
  if (!presigner) return undefined;
  const names = files.map((_file, index) => `${id}~${index}.input`);
  const bundleOf = (lease: string): string => `${id}~${lease === '' ? 'bundle' : lease}.tar`;
  const bundles = new Set<string>();
  let isOver = false;
  const drop = async (): Promise<void> => {
    isOver = true;
    await Promise.allSettled([
      ...names.map((name) => blobs.remove(name)),
      ...[...bundles].map((name) => lateUploads.retire(name)),
    ]);
  };
  try {
    const copies = await Promise.all(files.map((file, index) => copied(file, path.join(folder, `.input-${index}`))));
    await blobs.adopt(copies.map((file, index) => ({ name: names[index] ?? '', file })));
    return {
      async addresses(lease) {
        const bundle = bundleOf(lease);
        if (isOver) throw refusals.buildNotOpen(id);
        bundles.add(bundle);
        await lateUploads.expect(bundle, seconds);
        return {
          inputs: await Promise.all(names.map((name) => presigner.download(name, seconds))),
          output: await presigner.upload(bundle, { maxBytes, seconds }),
        };
      },
      async bring(lease) {
        const blob = await blobs.open(bundleOf(lease));
        if (!blob) return undefined;
        if (blob.byteSize > maxBytes) throw refusals.uploadTooLarge(maxBytes);
        const file = path.join(folder, '.upload-presigned.tar');
        await pipeline(await blob.read(), intoFile(file));
        return file;
      },
      drop,
    };
  } catch (error) {
    await drop();
    throw error;
  }
}

/** The store takes files over; these are still read by others. */
async function copied(file: string, target: string): Promise<string> {
  await fs.copyFile(file, target, fs.constants.COPYFILE_FICLONE);
  return target;
}
