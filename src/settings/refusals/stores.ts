// The artifact store and its blobs: what must be set together.

import { refusal } from './refusal.ts';

const serviceStoreNeedsDirectory = refusal(
  ['deploymentMode', 'artifactDir', 'artifactMetadataDsn', 'artifactBlobBackend', 'serviceWritesEnabled'],
  ({ deploymentMode, artifactDir, artifactMetadataDsn, artifactBlobBackend, serviceWritesEnabled }) => {
    if (deploymentMode !== 'service' || artifactDir !== null) return null;
    const dependents = [
      artifactMetadataDsn === null ? null : 'SVC_ARTIFACT_METADATA_DSN',
      artifactBlobBackend === 'local' ? null : `SVC_ARTIFACT_BLOB_BACKEND=${artifactBlobBackend}`,
      serviceWritesEnabled ? 'SVC_SERVICE_WRITES_ENABLED' : null,
    ];
    return dependents
      .filter((name) => name !== null)
      .map((name) => `${name} needs SVC_ARTIFACT_DIR: a service has an artifact store only when it is set`);
  },
);

const sharedMetadataNeedsSharedBlobs = refusal(
  ['deploymentMode', 'artifactMetadataDsn', 'artifactBlobBackend'],
  ({ deploymentMode, artifactMetadataDsn, artifactBlobBackend }) =>
    deploymentMode === 'service' && artifactMetadataDsn !== null && artifactBlobBackend === 'local'
      ? 'SVC_ARTIFACT_METADATA_DSN shares metadata between nodes, but SVC_ARTIFACT_BLOB_BACKEND=local keeps the bytes on one: set it to s3, gcs or azure'
      : null,
);

const blobBackendNeedsPlace = refusal(
  ['artifactBlobBackend', 'artifactS3Bucket', 'artifactGcsBucket', 'artifactAzureContainer'],
  ({ artifactBlobBackend, artifactS3Bucket, artifactGcsBucket, artifactAzureContainer }) => {
    const missing = (value: string | null, name: string) =>
      value === null ? `SVC_ARTIFACT_BLOB_BACKEND=${artifactBlobBackend} needs ${name}` : null;
    switch (artifactBlobBackend) {
      case 's3':
        return missing(artifactS3Bucket, 'SVC_ARTIFACT_S3_BUCKET');
      case 'gcs':
        return missing(artifactGcsBucket, 'SVC_ARTIFACT_GCS_BUCKET');
      case 'azure':
        return missing(artifactAzureContainer, 'SVC_ARTIFACT_AZURE_CONTAINER');
      case 'local':
        return null;
    }
  },
);

export const storeRefusals = [serviceStoreNeedsDirectory, sharedMetadataNeedsSharedBlobs, blobBackendNeedsPlace];
