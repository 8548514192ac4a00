// Which blob store is used follows from the settings; the SDK of an object store is loaded only when one is configured.
import path from 'node:path';
import { patienceOf } from '../../fetch/index.ts';
import type { Settings } from '../../settings/index.ts';
import type { AzureAccess, GcsAccess, S3Access } from './access.ts';
import type { Blobs } from './blobs.ts';
import { openLocalBlobs } from './local.ts';
import { objectBlobs } from './objects.ts';

type BlobSettings = Pick<
  Settings,
  | 'artifactBlobBackend'
  | 'artifactS3Bucket'
  | 'artifactS3Prefix'
  | 'artifactGcsBucket'
  | 'artifactGcsPrefix'
  | 'artifactAzureContainer'
  | 'artifactAzurePrefix'
  | 's3ConnectTimeoutSeconds'
  | 's3RequestTimeoutSeconds'
> &
  S3Access &
  GcsAccess &
  AzureAccess;

export async function openBlobs(settings: BlobSettings, artifactDir: string): Promise<Blobs> {
  const { artifactS3Bucket, artifactGcsBucket, artifactAzureContainer } = settings;
  const patience = patienceOf(settings);
  switch (settings.artifactBlobBackend) {
    case 's3': {
      const { openS3Objects } = await import('./s3.ts');
      return objectBlobs(openS3Objects(artifactS3Bucket ?? '', settings), settings.artifactS3Prefix, patience);
    }
    case 'gcs': {
      const { openGcsObjects } = await import('./gcs.ts');
      return objectBlobs(openGcsObjects(artifactGcsBucket ?? '', settings), settings.artifactGcsPrefix, patience);
    }
    case 'azure': {
      const { openAzureObjects } = await import('./azure.ts');
      const client = await openAzureObjects(artifactAzureContainer ?? '', settings);
      return objectBlobs(client, settings.artifactAzurePrefix, patience);
    }
    default:
      return openLocalBlobs(path.join(artifactDir, 'blobs'));
  }
}
