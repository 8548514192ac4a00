// What a mount needs of an object store: what lies below a prefix, the bytes of one object, and a way to put one back. Whatever
// the store, a call of it ends in time.
import type { Readable } from 'node:stream';
import { inTime, type Patience } from '../fetch/index.ts';
import { openObjects, type StoredObject } from '../objectStores/index.ts';
import { objectStoreOf, type StorageOptions, type StorePlace } from './storageOptions.ts';

export interface RemoteStore {
  /** Everything whose name begins with the prefix. */
  list(prefix: string, signal: AbortSignal): Promise<StoredObject[]>;
  read(name: string, signal: AbortSignal): Promise<Readable>;
  upload(name: string, file: string): Promise<void>;
  close(): void;
}

export async function openRemoteStore(
  place: StorePlace,
  options: StorageOptions,
  patience: Patience,
): Promise<RemoteStore> {
  const store = await openObjects(objectStoreOf(place, options));
  return {
    list: (prefix, signal) =>
      inTime(patience, async (silent) => {
        const pages = await Array.fromAsync(store.list(prefix, AbortSignal.any([signal, silent])));
        return pages.flat();
      }),
    read: (name, signal) => inTime(patience, () => store.read(name, signal)),
    upload: (name, file) => inTime(patience, (silent) => store.upload(name, file, silent)),
    close: store.close,
  };
}
