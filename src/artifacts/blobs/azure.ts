// Objects in an Azure container.
import { Readable } from 'node:stream';
import { BlobSASPermissions, BlobServiceClient, RestError, StorageSharedKeyCredential } from '@azure/storage-blob';
import type { AzureAccess } from './access.ts';
import type { ObjectClient } from './objects.ts';

const pageLength = 1000;
/** A store that does not answer is told to the caller, who may come back, within seconds. */
const options = { retryOptions: { maxTries: 3, retryDelayInMs: 200, maxRetryDelayInMs: 1000 } };

export async function openAzureObjects(containerName: string, access: AzureAccess): Promise<ObjectClient> {
  const service = await serviceClient(access);
  const container = service.getContainerClient(containerName);

  /** With the account's key where there is one, else with a key that the service lends to this identity. */
  async function addressOf(key: string, allowed: 'r' | 'cw', seconds: number): Promise<string> {
    const blob = container.getBlobClient(key);
    const expiresOn = new Date(Date.now() + seconds * 1000);
    const permissions = BlobSASPermissions.parse(allowed);
    if (service.credential instanceof StorageSharedKeyCredential)
      return blob.generateSasUrl({ permissions, expiresOn });
    const lent = await service.getUserDelegationKey(new Date(Date.now() - 60_000), expiresOn);
    return blob.generateUserDelegationSasUrl({ permissions, expiresOn }, lent);
  }
  return {
    async upload(key, file, abortSignal) {
      await container.getBlockBlobClient(key).uploadFile(file, { abortSignal });
    },
    async size(key) {
      try {
        return (await container.getBlobClient(key).getProperties()).contentLength ?? 0;
      } catch (error) {
        if (error instanceof RestError && error.statusCode === 404) return undefined;
        throw error;
      }
    },
    async read(key) {
      const { readableStreamBody } = await container.getBlobClient(key).download();
      if (readableStreamBody instanceof Readable) return readableStreamBody;
      throw new Error('Azure answered without bytes.');
    },
    async remove(key) {
      await container.getBlobClient(key).deleteIfExists();
    },
    async *list(base) {
      for await (const page of container.listBlobsFlat({ prefix: base }).byPage({ maxPageSize: pageLength })) {
        yield page.segment.blobItems.map(({ name, properties }) => ({
          key: name,
          writtenAt: properties.lastModified.getTime() / 1000,
        }));
      }
    },
    presigner: {
      download: (key, seconds) => addressOf(key, 'r', seconds),
      upload: async (key, { seconds }) => ({
        url: await addressOf(key, 'cw', seconds),
        method: 'PUT',
        headers: { 'x-ms-blob-type': 'BlockBlob' },
      }),
    },
    close: () => {},
  };
}

/** Of several forms the connection string wins, then the machine's identity, the SAS token, the account's key. */
async function serviceClient(access: AzureAccess): Promise<BlobServiceClient> {
  const { env } = process;
  const connection =
    access.azureConnectionString ?? (hasNoForm(access) ? env.AZURE_STORAGE_CONNECTION_STRING : undefined);
  if (connection !== undefined) return BlobServiceClient.fromConnectionString(connection, options);
  const account = access.azureAccountName ?? env.AZURE_STORAGE_ACCOUNT;
  if (account === undefined)
    throw new Error('The azure blob backend needs SVC_AZURE_CONNECTION_STRING or SVC_AZURE_ACCOUNT_NAME.');
  const address = access.azureEndpointUrl ?? `https://${account}.blob.core.windows.net`;
  if (!access.azureUseDefaultCredential) {
    if (access.azureSasToken !== null)
      return new BlobServiceClient(`${address}?${access.azureSasToken.replace(/^\?/, '')}`, undefined, options);
    const key = access.azureAccountKey ?? env.AZURE_STORAGE_KEY;
    if (key !== undefined) return new BlobServiceClient(address, new StorageSharedKeyCredential(account, key), options);
  }
  const { DefaultAzureCredential } = await import('@azure/identity');
  return new BlobServiceClient(address, new DefaultAzureCredential(), options);
}

const hasNoForm = ({ azureAccountKey, azureSasToken, azureUseDefaultCredential }: AzureAccess): boolean =>
  azureAccountKey === null && azureSasToken === null && !azureUseDefaultCredential;
