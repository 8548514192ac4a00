// Blobs in an Azure container. The account comes from AZURE_STORAGE_CONNECTION_STRING, or from AZURE_STORAGE_ACCOUNT with a
// key (AZURE_STORAGE_KEY) or with whatever identity the machine has.
import { Readable } from 'node:stream';
import { BlobSASPermissions, BlobServiceClient, RestError, StorageSharedKeyCredential } from '@azure/storage-blob';
import type { Blobs } from './blobs.ts';
import { objectBlobs } from './objects.ts';

const pageLength = 1000;
/** A store that does not answer is told to the caller, who may come back, within seconds. */
const options = { retryOptions: { maxTries: 3, retryDelayInMs: 200, maxRetryDelayInMs: 1000 } };

export async function openAzureBlobs(containerName: string, prefix: string): Promise<Blobs> {
  const service = await serviceClient();
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
  return objectBlobs(
    {
      async upload(key, file) {
        await container.getBlockBlobClient(key).uploadFile(file);
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
    },
    prefix,
  );
}

async function serviceClient(): Promise<BlobServiceClient> {
  const {
    AZURE_STORAGE_CONNECTION_STRING: connection,
    AZURE_STORAGE_ACCOUNT: account,
    AZURE_STORAGE_KEY: key,
  } = process.env;
  if (connection !== undefined) return BlobServiceClient.fromConnectionString(connection, options);
  if (account === undefined)
    throw new Error('The azure blob backend needs AZURE_STORAGE_CONNECTION_STRING or AZURE_STORAGE_ACCOUNT.');
  const address = `https://${account}.blob.core.windows.net`;
  if (key !== undefined) return new BlobServiceClient(address, new StorageSharedKeyCredential(account, key), options);
  const { DefaultAzureCredential } = await import('@azure/identity');
  return new BlobServiceClient(address, new DefaultAzureCredential(), options);
}
