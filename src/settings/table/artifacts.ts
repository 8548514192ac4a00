// The artifact store: where versions and blobs are kept, and when they are collected.

import { atLeast, choice, commaList, integer, path, postgresUrl, text, textOrEmpty } from '../kinds/index.ts';
import { fixed, optional, perMode, setting, unset } from '../row.ts';

export const artifactRows = {
  artifactDir: optional(
    path(),
    perMode('~/.svc/artifacts', null, '~/.svc/artifacts personal; unset in service'),
    'Directory of the artifact store; a service has a store only when this is set.',
  ),
  artifactMetadataDsn: optional(
    postgresUrl(),
    unset,
    'PostgreSQL database for artifact metadata, shared by several nodes; unset keeps a local database in the artifact directory.',
    { secret: true },
  ),
  artifactBlobBackend: setting(choice('local', 's3', 'gcs', 'azure'), fixed('local'), 'Where artifact bytes are kept.'),
  artifactS3Bucket: optional(text(), unset, 'Bucket of the s3 blob backend.'),
  artifactS3Prefix: setting(textOrEmpty(), fixed('artifacts'), 'Key prefix of the s3 blob backend.'),
  artifactGcsBucket: optional(text(), unset, 'Bucket of the gcs blob backend.'),
  artifactGcsPrefix: setting(textOrEmpty(), fixed('artifacts'), 'Key prefix of the gcs blob backend.'),
  artifactAzureContainer: optional(text(), unset, 'Container of the azure blob backend.'),
  artifactAzurePrefix: setting(textOrEmpty(), fixed('artifacts'), 'Key prefix of the azure blob backend.'),
  artifactZombieBuildTimeoutSeconds: setting(
    atLeast(0),
    fixed(3600),
    'Builds left unfinished for longer are marked failed at startup.',
  ),
  registryProtectedAliases: setting(
    commaList('alias names'),
    fixed([]),
    'Aliases whose moves and removals wait for approval.',
  ),
  storeToken: optional(text(), unset, 'Bearer token that the publish command presents to a remote store.', {
    secret: true,
  }),
};

export const collectionRows = {
  artifactGcIntervalSeconds: setting(
    atLeast(0),
    perMode(3600, 0, '3600 personal; 0 in service'),
    'Seconds between sweeps for artifacts that nothing holds; 0 never sweeps.',
  ),
  artifactGcMaxBytes: optional(
    integer(0),
    perMode(21_474_836_480, null, '21474836480 personal; unset in service'),
    'Above this size the least recently used are collected down to 80 %; 0 or unset is no cap.',
  ),
  artifactGcMaxIdleDays: setting(atLeast(0), fixed(30), 'Unused for this long is collected; 0 never.'),
  artifactGcMinIdleSeconds: setting(atLeast(0), fixed(3600), 'Anything used more recently is never collected.'),
};
