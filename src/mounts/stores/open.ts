// The object store that a place lies in. Each brings a client library of its own, loaded when it is first needed.
import type { Place, RemoteStore, StorageOptions } from './store.ts';

export async function openRemoteStore({ protocol, bucket }: Place, options: StorageOptions): Promise<RemoteStore> {
  switch (protocol) {
    case 's3':
      return (await import('./s3.ts')).openS3(bucket, options);
    case 'gcs':
      return (await import('./gcs.ts')).openGcs(bucket, options);
    default:
      return (await import('./azure.ts')).openAzure(bucket, options);
  }
}
