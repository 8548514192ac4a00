// Where a mount lies and how it is reached, from its address and its storage options: the words of the file systems that
// notebooks know (`key`, `secret`, `anon`, `token`, …).
import type { AzureAccess, GcsAccess, ObjectStore, S3Access } from '../objectStores/index.ts';

export type StorageOptions = Readonly<Record<string, unknown>>;

export interface StorePlace {
  readonly protocol: 's3' | 'gcs' | 'abfs';
  /** A bucket, or a container. */
  readonly bucket: string;
  /** Without slashes at its ends. */
  readonly prefix: string;
}

const protocols: Readonly<Record<string, StorePlace['protocol']>> = {
  s3: 's3',
  gs: 'gcs',
  gcs: 'gcs',
  az: 'abfs',
  azure: 'abfs',
};

/** Undefined for what is no address of an object store. */
export function placeIn(uri: string): StorePlace | undefined {
  const [, scheme = '', bucket = '', prefix = ''] = /^([a-z0-9]+):\/\/([^/]+)\/*(.*)$/s.exec(uri) ?? [];
  const protocol = protocols[scheme];
  return protocol && { protocol, bucket, prefix: prefix.replace(/(?<!\/)\/+$/, '') };
}

export function objectStoreOf({ protocol, bucket }: StorePlace, options: StorageOptions): ObjectStore {
  switch (protocol) {
    case 's3':
      return { kind: 's3', bucket, access: s3Access(options) };
    case 'gcs':
      return { kind: 'gcs', bucket, access: gcsAccess(options) };
    case 'abfs':
      return { kind: 'azure', bucket, access: azureAccess(options) };
  }
}

function s3Access(options: StorageOptions): S3Access {
  const more = options.client_kwargs;
  const given: StorageOptions = { ...(typeof more === 'object' ? more : {}), ...options };
  const accessKeyId = optionOf(given, 'key') ?? optionOf(given, 'aws_access_key_id');
  const secretAccessKey = optionOf(given, 'secret') ?? optionOf(given, 'aws_secret_access_key');
  const sessionToken = optionOf(given, 'token') ?? optionOf(given, 'aws_session_token');
  const region = optionOf(given, 'region') ?? optionOf(given, 'region_name') ?? process.env.AWS_REGION;
  return {
    region: region ?? 'us-east-1',
    endpoint: optionOf(given, 'endpoint_url'),
    profile: optionOf(given, 'profile'),
    isAnonymous: isSet(given, 'anon'),
    ...(accessKeyId === undefined || secretAccessKey === undefined
      ? {}
      : { keys: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) } }),
  };
}

function gcsAccess(options: StorageOptions): GcsAccess {
  const token = optionOf(options, 'token');
  return {
    project: optionOf(options, 'project'),
    keyFile: token === undefined || /^(?:anon|google_default|cloud|cache)$/.test(token) ? undefined : token,
    endpoint: optionOf(options, 'endpoint_url') ?? process.env.STORAGE_EMULATOR_HOST,
    isAnonymous: token === 'anon' || isSet(options, 'anon'),
    checksReads: true,
  };
}

function azureAccess(options: StorageOptions): AzureAccess {
  const account = optionOf(options, 'account_name');
  const connectionString =
    optionOf(options, 'connection_string') ??
    (account === undefined ? process.env.AZURE_STORAGE_CONNECTION_STRING : undefined);
  if (account === undefined && connectionString === undefined)
    throw new Error('an Azure mount needs account_name or connection_string among its options or in its credential');
  return {
    connectionString,
    account,
    endpoint: optionOf(options, 'endpoint_url'),
    sasToken: optionOf(options, 'sas_token'),
    accountKey: optionOf(options, 'account_key'),
    isAnonymous: isSet(options, 'anon'),
    identity: {
      tenantId: optionOf(options, 'tenant_id'),
      clientId: optionOf(options, 'client_id'),
      tokenFile: optionOf(options, 'federated_token_file'),
      secret: optionOf(options, 'client_secret'),
    },
  };
}

function optionOf(options: StorageOptions, key: string): string | undefined {
  const value = options[key];
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined;
}

const isSet = (options: StorageOptions, key: string): boolean =>
  options[key] === true || /^(?:true|1|yes)$/i.test(String(options[key] ?? ''));
