// Where the bytes of artifacts lie: one interface over a folder and three object stores. Bytes are written once, under a
// name of their own, and are complete and durable before anybody is told that name.
import { createHash, randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Presigner } from '../../objectStores/index.ts';
import type { ArtifactVersion } from '../types.ts';

export interface Blob {
  readonly byteSize: number;
  /** The file that holds the bytes, where they lie in one. */
  readonly file: string | undefined;
  read(): Promise<Readable>;
}

export interface Blobs {
  /** Where bytes lie in an object store. */
  readonly presigner?: Presigner;
  /** Takes finished files over, all of them durable under their names when it resolves. */
  adopt(files: readonly { readonly name: string; readonly file: string }[]): Promise<void>;
  /** Undefined when there is nothing under the name. */
  open(name: string): Promise<Blob | undefined>;
  remove(name: string): Promise<void>;
  /** Everything that was written before the moment (in seconds), in slices. */
  list(before: number): AsyncIterable<readonly string[]>;
  close(): Promise<void>;
}

const longestStem = 200;

/** A readable name where the id allows one. */
function stemOf(id: string): string {
  const fits = Buffer.byteLength(id) <= longestStem && !/[/\\\0]/.test(id);
  return fits ? id : `~${createHash('sha256').update(id).digest('hex')}`;
}

/** The name of a version's own bytes. */
export const blobNameOf = ({ id, version, blobName }: Pick<ArtifactVersion, 'id' | 'version' | 'blobName'>): string =>
  blobName ?? `${stemOf(id)}@v=${version}.arrow`;

/** A name that nobody has used before: bytes can be written under it before their version is known. */
export const freshBlobName = (id: string): string => `${stemOf(id)}~${randomBytes(8).toString('hex')}.arrow`;

/** The name under which one attempt at a version brings its bytes. */
export const attemptBlobName = (id: string, attempt: string): string => `${stemOf(id)}~${attempt}.arrow`;
