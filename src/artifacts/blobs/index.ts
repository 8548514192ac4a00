// Which blob store is used follows from the settings.
import path from 'node:path';
import { patienceOf } from '../../fetch/index.ts';
import { openObjects } from '../../objectStores/index.ts';
import type { Settings } from '../../settings/index.ts';
import { type ObjectSettings, objectStoreOf } from './access.ts';
import type { Blobs } from './blobs.ts';
import { openLocalBlobs } from './local.ts';
import { objectBlobs } from './objects.ts';

type BlobSettings = Pick<
  Settings,
  | 'artifactBlobBackend'
  | 'artifactS3Prefix'
  | 'artifactGcsPrefix'
  | 'artifactAzurePrefix'
  | 's3ConnectTimeoutSeconds'
  | 's3RequestTimeoutSeconds'
> &
  ObjectSettings;

export async function openBlobs(settings: BlobSettings, artifactDir: string): Promise<Blobs> {
  const kind = settings.artifactBlobBackend;
  if (kind === 'local') return openLocalBlobs(path.join(artifactDir, 'blobs'));
  const prefixes = {
    s3: settings.artifactS3Prefix,
    gcs: settings.artifactGcsPrefix,
    azure: settings.artifactAzurePrefix,
  };
  const client = await openObjects(objectStoreOf(kind, settings));
  return objectBlobs(client, prefixes[kind], patienceOf(settings));
}
