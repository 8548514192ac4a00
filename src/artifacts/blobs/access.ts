// Which object store the settings name and how it is reached; where they are silent, by the variables of its provider.
import type { AzureAccess, GcsAccess, ObjectStore, S3Access } from '../../objectStores/index.ts';
import type { Settings } from '../../settings/index.ts';

type S3Settings = Pick<Settings, 's3Region' | 's3EndpointUrl' | 's3AccessKey' | 's3SecretKey'>;
type GcsSettings = Pick<Settings, 'gcsCredentialsJson' | 'gcsAnonymous' | 'gcsEndpointOverride'>;
type AzureSettings = Pick<
  Settings,
  | 'azureAccountName'
  | 'azureAccountKey'
  | 'azureConnectionString'
  | 'azureSasToken'
  | 'azureUseDefaultCredential'
  | 'azureEndpointUrl'
>;
type Buckets = Pick<Settings, 'artifactS3Bucket' | 'artifactGcsBucket' | 'artifactAzureContainer'>;
export type ObjectSettings = S3Settings & GcsSettings & AzureSettings & Buckets;

export function objectStoreOf(kind: ObjectStore['kind'], settings: ObjectSettings): ObjectStore {
  switch (kind) {
    case 's3':
      return { kind, bucket: settings.artifactS3Bucket ?? '', access: s3Access(settings) };
    case 'gcs':
      return { kind, bucket: settings.artifactGcsBucket ?? '', access: gcsAccess(settings) };
    case 'azure':
      return { kind, bucket: settings.artifactAzureContainer ?? '', access: azureAccess(settings) };
  }
}

const s3Access = ({ s3Region, s3EndpointUrl, s3AccessKey, s3SecretKey }: S3Settings): S3Access => ({
  region: s3Region ?? undefined,
  endpoint: s3EndpointUrl ?? undefined,
  ...(s3AccessKey === null || s3SecretKey === null
    ? {}
    : { keys: { accessKeyId: s3AccessKey, secretAccessKey: s3SecretKey } }),
});

function gcsAccess({ gcsCredentialsJson: given, gcsAnonymous, gcsEndpointOverride: at }: GcsSettings): GcsAccess {
  return {
    ...(given === null ? {} : given.startsWith('{') ? { credentials: JSON.parse(given) } : { keyFile: given }),
    endpoint: at === null || at.includes('://') ? (at ?? undefined) : `https://${at}`,
    isAnonymous: gcsAnonymous,
  };
}

/** Of several forms the connection string wins, then the machine's identity, the SAS token, the account's key. */
function azureAccess(settings: AzureSettings): AzureAccess {
  const { azureConnectionString, azureAccountKey, azureSasToken, azureUseDefaultCredential } = settings;
  const { env } = process;
  const hasNoForm = azureAccountKey === null && azureSasToken === null && !azureUseDefaultCredential;
  const connectionString = azureConnectionString ?? (hasNoForm ? env.AZURE_STORAGE_CONNECTION_STRING : undefined);
  const account = settings.azureAccountName ?? env.AZURE_STORAGE_ACCOUNT;
  if (connectionString === undefined && account === undefined)
    throw new Error('The azure blob backend needs SVC_AZURE_CONNECTION_STRING or SVC_AZURE_ACCOUNT_NAME.');
  return {
    connectionString,
    account,
    endpoint: settings.azureEndpointUrl ?? undefined,
    ...(azureUseDefaultCredential
      ? {}
      : { sasToken: azureSasToken ?? undefined, accountKey: azureAccountKey ?? env.AZURE_STORAGE_KEY }),
  };
}
