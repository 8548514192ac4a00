// What is asked of an object store, whichever it is. Each call rejects with the store's own error, and none has a deadline:
// whoever asks says how long a store may be silent.
import type { Readable } from 'node:stream';

export interface StoredObject {
  /** Its whole name in the bucket. */
  readonly name: string;
  readonly size: number;
  /** Empty where the store does not say. */
  readonly etag: string;
  readonly mtime: string;
}

/** How whoever has no credentials brings one object: a form, or the bytes alone. */
export interface PresignedUpload {
  readonly url: string;
  readonly method: 'POST' | 'PUT';
  readonly fields?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Addresses of the object store itself, good for one object and a while. */
export interface Presigner {
  download(name: string, seconds: number): Promise<string>;
  /** A store that cannot bound the size takes any; whoever finishes the upload looks at it. */
  upload(name: string, limits: { readonly maxBytes: number; readonly seconds: number }): Promise<PresignedUpload>;
}

export interface ObjectClient {
  /** Everything whose name begins with the prefix, in pages. */
  list(prefix: string, signal?: AbortSignal): AsyncIterable<readonly StoredObject[]>;
  /** Undefined when there is no such object. */
  size(name: string): Promise<number | undefined>;
  read(name: string, signal?: AbortSignal): Promise<Readable>;
  /** The file may be gone once its upload was told to stop. */
  upload(name: string, file: string, signal: AbortSignal): Promise<void>;
  /** What is not there is gone already. */
  remove(name: string): Promise<void>;
  readonly presigner: Presigner;
  close(): void;
}
