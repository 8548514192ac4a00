// Access to the three object stores, for tables, mounts and artifact blobs alike.

import { flag, pathOrJson, text, url } from '../kinds/index.ts';
import { fixed, optional, setting, unset, unsetMeans } from '../row.ts';

const secret = { secret: true };

export const storageRows = {
  s3Region: optional(text(), unsetMeans('the standard AWS variables'), 'S3 region.'),
  s3EndpointUrl: optional(url(), unset, 'S3 endpoint other than the public one.'),
  s3AccessKey: optional(text(), unsetMeans('the standard AWS variables'), 'S3 access key.', secret),
  s3SecretKey: optional(text(), unsetMeans('the standard AWS variables'), 'S3 secret key.', secret),
  s3Anonymous: setting(flag(), fixed(false), 'Read S3 without credentials.'),
  gcsDefaultBucketLocation: optional(text(), unset, 'Location of GCS buckets that are created.'),
  gcsCredentialsJson: optional(pathOrJson(), unset, 'GCS credentials: a file or the JSON itself.', secret),
  gcsAnonymous: setting(flag(), fixed(false), 'Read GCS without credentials.'),
  gcsEndpointOverride: optional(text(), unset, 'GCS endpoint other than the public one.'),
  azureAccountName: optional(text(), unset, 'Azure storage account.'),
  azureAccountKey: optional(text(), unset, 'Azure account key; used last.', secret),
  azureConnectionString: optional(text(), unset, 'Azure connection string; wins over every other form.', secret),
  azureSasToken: optional(text(), unset, 'Azure SAS token; used before the account key.', secret),
  azureUseDefaultCredential: setting(
    flag(),
    fixed(false),
    'Use the default Azure credential of this machine; used before the SAS token.',
  ),
  azureEndpointUrl: optional(url(), unset, 'Azure endpoint other than the public one.'),
};
