// Access to the three object stores, for tables, mounts and artifact blobs alike.

import { flag, pathOrJson, text, url } from '../kinds/index.ts';
import { fixed, setting, unset, unsetMeans } from '../row.ts';

const secret = { secret: true };

export const storageRows = {
  s3Region: setting(text(), unsetMeans('the standard AWS variables'), 'S3 region.'),
  s3EndpointUrl: setting(url(), unset, 'S3 endpoint other than the public one.'),
  s3AccessKey: setting(text(), unsetMeans('the standard AWS variables'), 'S3 access key.', secret),
  s3SecretKey: setting(text(), unsetMeans('the standard AWS variables'), 'S3 secret key.', secret),
  s3Anonymous: setting(flag(), fixed(false), 'Read S3 without credentials.'),
  gcsDefaultBucketLocation: setting(text(), unset, 'Location of GCS buckets that are created.'),
  gcsCredentialsJson: setting(pathOrJson(), unset, 'GCS credentials: a file or the JSON itself.', secret),
  gcsAnonymous: setting(flag(), fixed(false), 'Read GCS without credentials.'),
  gcsEndpointOverride: setting(text(), unset, 'GCS endpoint other than the public one.'),
  azureAccountName: setting(text(), unset, 'Azure storage account.'),
  azureAccountKey: setting(text(), unset, 'Azure account key; used last.', secret),
  azureConnectionString: setting(text(), unset, 'Azure connection string; wins over every other form.', secret),
  azureSasToken: setting(text(), unset, 'Azure SAS token; used before the account key.', secret),
  azureUseDefaultCredential: setting(
    flag(),
    fixed(false),
    'Use the default Azure credential of this machine; used before the SAS token.',
  ),
  azureEndpointUrl: setting(url(), unset, 'Azure endpoint other than the public one.'),
};
