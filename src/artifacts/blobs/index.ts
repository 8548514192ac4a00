// Which blob store is used follows from the settings; the SDK of an object store is loaded only when one is configured.
import path from 'node:path';
import type { Settings } from '../../settings/index.ts';
import type { AzureAccess, GcsAccess, S3Access } from './access.ts';
import type { Blobs } from './blobs.ts';
import { openLocalBlobs } from './local.ts';

type BlobSettings = Pick<
  Settings,
  | 'artifactBlobBackend'
  | 'artifactS3Bucket'
  | 'artifactS3Prefix'
  | 'artifactGcsBucket'
  | 'artifactGcsPrefix'
  | 'artifactAzureContainer'
  | 'artifactAzurePrefix'
> &
  S3Access &
  GcsAccess &
  AzureAccess;

export async function openBlobs(settings: BlobSettings, artifactDir: string): Promise<Blobs> {
  switch (settings.artifactBlobBackend) {
    case 's3':
      return (await import('./s3.ts')).openS3Blobs(
        { bucket: settings.artifactS3Bucket ?? '', prefix: settings.artifactS3Prefix },
        settings,
      );
    case 'gcs':
      return (await import('./gcs.ts')).openGcsBlobs(
        { bucket: settings.artifactGcsBucket ?? '', prefix: settings.artifactGcsPrefix },
        settings,
      );
    case 'azure':
      return (await import('./azure.ts')).openAzureBlobs(
        { bucket: settings.artifactAzureContainer ?? '', prefix: settings.artifactAzurePrefix },
        settings,
      );
    default:
      return openLocalBlobs(path.join(artifactDir, 'blobs'));
  }
}
