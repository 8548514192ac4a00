// Containers of Azure.
import { Readable } from 'node:stream';
import {
  AnonymousCredential,
  BlobSASPermissions,
  BlobServiceClient,
  RestError,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import type { AzureAccess, AzureIdentity } from './access.ts';
import type { ObjectClient } from './client.ts';

const pageLength = 1000;
/** A store that does not answer is told to the caller, who may come back, within seconds. */
const retries = { retryOptions: { maxTries: 3, retryDelayInMs: 200, maxRetryDelayInMs: 1000 } };

export async function openAzure(containerName: string, access: AzureAccess): Promise<ObjectClient> {
  const service = await serviceOf(access);
  const container = service.getContainerClient(containerName);

  /** With the account's key where there is one, else with a key that the service lends to this identity. */
  async function addressOf(name: string, allowed: 'r' | 'cw', seconds: number): Promise<string> {
    const blob = container.getBlobClient(name);
    const expiresOn = new Date(Date.now() + seconds * 1000);
    const permissions = BlobSASPermissions.parse(allowed);
    if (service.credential instanceof StorageSharedKeyCredential)
      return blob.generateSasUrl({ permissions, expiresOn });
    const lent = await service.getUserDelegationKey(new Date(Date.now() - 60_000), expiresOn);
    return blob.generateUserDelegationSasUrl({ permissions, expiresOn }, lent);
  }

  return {
    async *list(prefix, signal) {
      const asked = { prefix, ...(signal && { abortSignal: signal }) };
      for await (const page of container.listBlobsFlat(asked).byPage({ maxPageSize: pageLength })) {
        yield page.segment.blobItems.map(({ name, properties: { contentLength: size = 0, etag, lastModified } }) => ({
          name,
          size,
          etag,
          mtime: lastModified.toISOString(),
        }));
      }
    },
    async size(name) {
      try {
        return (await container.getBlobClient(name).getProperties()).contentLength ?? 0;
      } catch (error) {
        if (error instanceof RestError && error.statusCode === 404) return undefined;
        throw error;
      }
    },
    async read(name, signal) {
      const answer = await container.getBlobClient(name).download(0, undefined, signal ? { abortSignal: signal } : {});
      if (answer.readableStreamBody instanceof Readable) return answer.readableStreamBody;
      throw new Error('Azure answered without bytes.');
    },
    async upload(name, file, abortSignal) {
      await container.getBlockBlobClient(name).uploadFile(file, { abortSignal });
    },
    async remove(name) {
      await container.getBlobClient(name).deleteIfExists();
    },
    presigner: {
      download: (name, seconds) => addressOf(name, 'r', seconds),
      upload: async (name, { seconds }) => ({
        url: await addressOf(name, 'cw', seconds),
        method: 'PUT',
        headers: { 'x-ms-blob-type': 'BlockBlob' },
      }),
    },
    close: () => {},
  };
}

async function serviceOf(access: AzureAccess): Promise<BlobServiceClient> {
  const { connectionString, account, sasToken, accountKey, isAnonymous, identity } = access;
  if (connectionString !== undefined) return BlobServiceClient.fromConnectionString(connectionString, retries);
  if (account === undefined) throw new Error('Azure needs the name of an account or a connection string.');
  const address = access.endpoint ?? `https://${account}.blob.core.windows.net`;
  if (sasToken !== undefined)
    return new BlobServiceClient(`${address}?${sasToken.replace(/^\?/, '')}`, new AnonymousCredential(), retries);
  if (accountKey !== undefined)
    return new BlobServiceClient(address, new StorageSharedKeyCredential(account, accountKey), retries);
  if (isAnonymous) return new BlobServiceClient(address, new AnonymousCredential(), retries);
  return new BlobServiceClient(address, await credentialOf(identity ?? {}), retries);
}

/** The token file is read again whenever the token is refreshed. */
async function credentialOf({ tenantId, clientId, tokenFile, secret }: AzureIdentity) {
  const { ClientSecretCredential, DefaultAzureCredential, WorkloadIdentityCredential } = await import(
    '@azure/identity'
  );
  // Who names another authority may have no way to the public one, which would be asked whether it is genuine.
  const authority = { disableInstanceDiscovery: process.env.AZURE_AUTHORITY_HOST !== undefined };
  if (tokenFile !== undefined) {
    if (tenantId === undefined || clientId === undefined)
      throw new Error('federated_token_file needs tenant_id and client_id beside it');
    return new WorkloadIdentityCredential({ tenantId, clientId, tokenFilePath: tokenFile, ...authority });
  }
  if (secret !== undefined && tenantId !== undefined && clientId !== undefined)
    return new ClientSecretCredential(tenantId, clientId, secret, authority);
  return new DefaultAzureCredential();
}
