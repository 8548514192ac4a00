// Containers of Azure. An account is reached by connection string, key, shared signature, an application's secret or a
// federated token, whose file is read again whenever it is refreshed; without any of them as the machine.
import { Readable } from 'node:stream';
import { AnonymousCredential, BlobServiceClient, StorageSharedKeyCredential } from '@azure/storage-blob';
import { isSet, optionOf, type RemoteObject, type StorageOptions, type StoreClient } from './store.ts';

const retries = { retryOptions: { maxTries: 3, retryDelayInMs: 200, maxRetryDelayInMs: 1000 } };

export async function openAzure(containerName: string, options: StorageOptions): Promise<StoreClient> {
  const container = (await clientOf(options)).getContainerClient(containerName);
  return {
    async list(prefix, signal) {
      const found: RemoteObject[] = [];
      for await (const { name, properties } of container.listBlobsFlat({ prefix, abortSignal: signal })) {
        const { contentLength: size = 0, etag, lastModified } = properties;
        found.push({ name, size, etag, mtime: lastModified.toISOString() });
      }
      return found;
    },
    async read(name, signal) {
      const answer = await container.getBlobClient(name).download(0, undefined, { abortSignal: signal });
      const { readableStreamBody } = answer;
      if (readableStreamBody instanceof Readable) return readableStreamBody;
      throw new Error('Azure answered without bytes.');
    },
    async upload(name, file, abortSignal) {
      await container.getBlockBlobClient(name).uploadFile(file, { abortSignal });
    },
    close: () => {},
  };
}

async function clientOf(options: StorageOptions): Promise<BlobServiceClient> {
  const connection = optionOf(options, 'connection_string');
  if (connection !== undefined) return BlobServiceClient.fromConnectionString(connection, retries);
  const account = optionOf(options, 'account_name');
  if (account === undefined) {
    const { AZURE_STORAGE_CONNECTION_STRING: machine } = process.env;
    if (machine !== undefined) return BlobServiceClient.fromConnectionString(machine, retries);
    throw new Error('an Azure mount needs account_name or connection_string among its options or in its credential');
  }
  const address = optionOf(options, 'endpoint_url') ?? `https://${account}.blob.core.windows.net`;
  const signature = optionOf(options, 'sas_token');
  if (signature !== undefined)
    return new BlobServiceClient(`${address}?${signature.replace(/^\?/, '')}`, new AnonymousCredential(), retries);
  const key = optionOf(options, 'account_key');
  if (key !== undefined) return new BlobServiceClient(address, new StorageSharedKeyCredential(account, key), retries);
  if (isSet(options, 'anon')) return new BlobServiceClient(address, new AnonymousCredential(), retries);
  return new BlobServiceClient(address, await identityOf(options), retries);
}

async function identityOf(options: StorageOptions) {
  const { ClientSecretCredential, DefaultAzureCredential, WorkloadIdentityCredential } = await import(
    '@azure/identity'
  );
  const tenantId = optionOf(options, 'tenant_id');
  const clientId = optionOf(options, 'client_id');
  const tokenFilePath = optionOf(options, 'federated_token_file');
  const secret = optionOf(options, 'client_secret');
  // Who names another authority may have no way to the public one, which would be asked whether it is genuine.
  const authority = { disableInstanceDiscovery: process.env.AZURE_AUTHORITY_HOST !== undefined };
  if (tokenFilePath !== undefined) {
    if (tenantId === undefined || clientId === undefined)
      throw new Error('federated_token_file needs tenant_id and client_id beside it');
    return new WorkloadIdentityCredential({ tenantId, clientId, tokenFilePath, ...authority });
  }
  if (secret !== undefined && tenantId !== undefined && clientId !== undefined)
    return new ClientSecretCredential(tenantId, clientId, secret, authority);
  return new DefaultAzureCredential();
}
