// Which blob store is used follows from the settings; the SDK of an object store is loaded only when one is configured.
import path from 'node:path';
import type { Settings } from '../../settings/index.ts';
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
>;

export async function openBlobs(settings: BlobSettings, artifactDir: string): Promise<Blobs> {
  switch (settings.artifactBlobBackend) {
    case 's3':
      return (await import('./s3.ts')).openS3Blobs(settings.artifactS3Bucket ?? '', settings.artifactS3Prefix);
    case 'gcs':
      return (await import('./gcs.ts')).openGcsBlobs(settings.artifactGcsBucket ?? '', settings.artifactGcsPrefix);
    case 'azure':
      return (await import('./azure.ts')).openAzureBlobs(
        settings.artifactAzureContainer ?? '',
        settings.artifactAzurePrefix,
      );
    default:
      return openLocalBlobs(path.join(artifactDir, 'blobs'));
  }
}
