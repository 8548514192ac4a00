// The three object stores behind one interface, for blobs, mounts and addresses that others use. Each brings a client library
// of its own, loaded when it is first needed.
import type { ObjectStore } from './access.ts';
import type { ObjectClient } from './client.ts';

export type { AzureAccess, GcsAccess, ObjectStore, S3Access } from './access.ts';
export type { ObjectClient, PresignedUpload, Presigner, StoredObject } from './client.ts';

export async function openObjects({ kind, bucket, access }: ObjectStore): Promise<ObjectClient> {
  switch (kind) {
    case 's3':
      return (await import('./s3.ts')).openS3(bucket, access);
    case 'gcs':
      return (await import('./gcs.ts')).openGcs(bucket, access);
    case 'azure':
      return (await import('./azure.ts')).openAzure(bucket, access);
  }
}
