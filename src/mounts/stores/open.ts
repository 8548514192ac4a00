// The object store that a place lies in. Each brings a client library of its own, loaded when it is first needed. Whatever the
// store, a call of it ends in time.
import { inTime, type Patience } from '../../fetch/index.ts';
import type { Place, RemoteStore, StorageOptions, StoreClient } from './store.ts';

export async function openRemoteStore(place: Place, options: StorageOptions, patience: Patience): Promise<RemoteStore> {
  const store = await openClient(place, options);
  return {
    list: (prefix, signal) => inTime(patience, (silent) => store.list(prefix, AbortSignal.any([signal, silent]))),
    read: (name, signal) => inTime(patience, () => store.read(name, signal)),
    upload: (name, file) => inTime(patience, (silent) => store.upload(name, file, silent)),
    close: store.close,
  };
}

async function openClient({ protocol, bucket }: Place, options: StorageOptions): Promise<StoreClient> {
  switch (protocol) {
    case 's3':
      return (await import('./s3.ts')).openS3(bucket, options);
    case 'gcs':
      return (await import('./gcs.ts')).openGcs(bucket, options);
    default:
      return (await import('./azure.ts')).openAzure(bucket, options);
  }
}
