// What a mount needs of an object store: what lies below a prefix, the bytes of one object, and a way to put one back.
import type { Readable } from 'node:stream';

export interface RemoteObject {
  /** Its whole name in the bucket. */
  readonly name: string;
  readonly size: number;
  /** Empty where the store does not say. */
  readonly etag: string;
  readonly mtime: string;
}

export interface RemoteStore {
  /** Everything whose name begins with the prefix. */
  list(prefix: string, signal: AbortSignal): Promise<RemoteObject[]>;
  read(name: string, signal: AbortSignal): Promise<Readable>;
  upload(name: string, file: string): Promise<void>;
  close(): void;
}

/** The same as its client library does it: an upload that is told to stop reads its file no longer. */
export interface StoreClient extends Omit<RemoteStore, 'upload'> {
  upload(name: string, file: string, signal: AbortSignal): Promise<void>;
}

/** Storage options in the words of the file systems that notebooks know: `key`, `secret`, `anon`, `token`, … */
export type StorageOptions = Readonly<Record<string, unknown>>;

export interface Place {
  readonly protocol: 's3' | 'gcs' | 'abfs';
  /** A bucket, or a container. */
  readonly bucket: string;
  /** Without slashes at its ends. */
  readonly prefix: string;
}

const protocols: Readonly<Record<string, Place['protocol']>> = {
  s3: 's3',
  gs: 'gcs',
  gcs: 'gcs',
  az: 'abfs',
  azure: 'abfs',
};

/** Undefined for what is no address of an object store. */
export function placeIn(uri: string): Place | undefined {
  const [, scheme = '', bucket = '', prefix = ''] = /^([a-z0-9]+):\/\/([^/]+)\/*(.*)$/s.exec(uri) ?? [];
  const protocol = protocols[scheme];
  return protocol && { protocol, bucket, prefix: prefix.replace(/\/+$/, '') };
}

export function optionOf(options: StorageOptions, key: string): string | undefined {
  const value = options[key];
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined;
}

export const isSet = (options: StorageOptions, key: string): boolean =>
  options[key] === true || /^(?:true|1|yes)$/i.test(String(options[key] ?? ''));
