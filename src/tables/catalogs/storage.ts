// The storage settings of the server as the properties that Iceberg's file access knows. Where several forms of Azure
// access are set, the connection string wins, then the default credential, the SAS token, the account key.
import type { Settings } from '../../settings/index.ts';

export type Properties = Readonly<Record<string, string>>;

export function storageProperties(settings: Settings): Properties {
  const own = { 'py-io-impl': 'svc_engine.tables.storage.StorageIO' };
  return dense({ ...own, ...s3(settings), ...gcs(settings), ...azure(settings) });
}

const s3 = (settings: Settings) => ({
  's3.region': settings.s3Region ?? process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION ?? null,
  's3.endpoint': settings.s3EndpointUrl ?? process.env.AWS_ENDPOINT_URL_S3 ?? process.env.AWS_ENDPOINT_URL ?? null,
  's3.access-key-id': settings.s3AccessKey,
  's3.secret-access-key': settings.s3SecretKey,
  's3.anonymous': settings.s3Anonymous ? 'true' : null,
  's3.connect-timeout': String(settings.s3ConnectTimeoutSeconds),
  's3.request-timeout': String(settings.s3RequestTimeoutSeconds),
});

const gcs = (settings: Settings) => ({
  'gcs.default-bucket-location': settings.gcsDefaultBucketLocation,
  'gcs.service.host': settings.gcsEndpointOverride === null ? null : withScheme(settings.gcsEndpointOverride),
  'svc.gcs.anonymous': settings.gcsAnonymous ? 'true' : null,
  'svc.gcs.credentials': settings.gcsCredentialsJson,
});

const withScheme = (endpoint: string): string => (endpoint.includes('://') ? endpoint : `https://${endpoint}`);

function azure(settings: Settings): Record<string, string | null> {
  const endpoint = azureEndpoint(settings.azureEndpointUrl);
  const common = { 'adls.account-name': settings.azureAccountName, ...endpoint };
  if (settings.azureConnectionString !== null)
    return { ...common, ...fromConnectionString(settings.azureConnectionString) };
  if (settings.azureUseDefaultCredential) return common;
  if (settings.azureSasToken !== null) return { ...common, 'adls.sas-token': settings.azureSasToken };
  return { ...common, 'adls.account-key': settings.azureAccountKey };
}

function fromConnectionString(text: string): Record<string, string | null> {
  const parts = new Map(
    text.split(';').flatMap((part) => {
      const [, key, value] = /^([^=]+)=(.*)$/s.exec(part.trim()) ?? [];
      return key === undefined || value === undefined ? [] : [[key.toLowerCase(), value] as const];
    }),
  );
  return {
    'adls.account-name': parts.get('accountname') ?? null,
    'adls.account-key': parts.get('accountkey') ?? null,
    'adls.sas-token': parts.get('sharedaccesssignature') ?? null,
    ...azureEndpoint(parts.get('blobendpoint') ?? null),
  };
}

function azureEndpoint(endpoint: string | null): Record<string, string> {
  if (endpoint === null) return {};
  const { protocol, host } = new URL(endpoint);
  const scheme = protocol.slice(0, -1);
  return {
    'adls.blob-storage-authority': host,
    'adls.dfs-storage-authority': host,
    'adls.blob-storage-scheme': scheme,
    'adls.dfs-storage-scheme': scheme,
  };
}

const dense = (properties: Readonly<Record<string, string | null>>): Properties =>
  Object.fromEntries(Object.entries(properties).flatMap(([key, value]) => (value === null ? [] : [[key, value]])));
