// Buckets of Google Cloud Storage.
import { once } from 'node:events';
import { IdempotencyStrategy, Storage, type StorageOptions } from '@google-cloud/storage';
import type { GcsAccess } from './access.ts';
import type { ObjectClient } from './client.ts';

const pageLength = 1000;

export function openGcs(bucketName: string, access: GcsAccess): ObjectClient {
  const bucket = new Storage(clientOptions(access)).bucket(bucketName);
  /** At an address of one's own the client leaves the bucket out. */
  const formAddress = (usual: string): string =>
    access.endpoint === undefined ? usual : `${access.endpoint}/${bucketName}/`;
  return {
    async *list(prefix, signal) {
      let pageToken: string | undefined;
      do {
        signal?.throwIfAborted();
        const query = { prefix, autoPaginate: false, maxResults: pageLength };
        const [files, next] = await bucket.getFiles(pageToken === undefined ? query : { ...query, pageToken });
        yield files.map(({ name, metadata: { size = 0, etag = '', updated = '' } }) => ({
          name,
          size: Number(size),
          etag,
          mtime: updated,
        }));
        pageToken = next && 'pageToken' in next && typeof next.pageToken === 'string' ? next.pageToken : undefined;
      } while (pageToken !== undefined);
    },
    async size(name) {
      const [exists] = await bucket.file(name).exists();
      if (!exists) return undefined;
      const [metadata] = await bucket.file(name).getMetadata();
      return Number(metadata.size ?? 0);
    },
    async read(name) {
      const bytes = bucket.file(name).createReadStream(access.checksReads ? {} : { validation: false });
      // The client asks when somebody reads, which would be too late to be told that the store is silent.
      await once(bytes, 'readable');
      return bytes;
    },
    async upload(name, file) {
      await bucket.upload(file, { destination: name, resumable: false });
    },
    async remove(name) {
      await bucket.file(name).delete({ ignoreNotFound: true });
    },
    presigner: {
      async download(name, seconds) {
        const expires = Date.now() + seconds * 1000;
        const [url] = await bucket.file(name).getSignedUrl({ version: 'v4', action: 'read', expires });
        return url;
      },
      async upload(name, { maxBytes, seconds }) {
        const [{ url, fields }] = await bucket.file(name).generateSignedPostPolicyV4({
          expires: Date.now() + seconds * 1000,
          conditions: [['content-length-range', 1, maxBytes]],
        });
        return { url: formAddress(url), method: 'POST', fields };
      },
    },
    close: () => {},
  };
}

function clientOptions({ project, keyFile, credentials, endpoint, isAnonymous = false }: GcsAccess): StorageOptions {
  // The client signs nothing at an address that is not its own, spelled as it spells it, unless it is told to.
  const apiEndpoint = endpoint ?? (isAnonymous ? 'https://storage.googleapis.com:443' : undefined);
  return {
    ...(project === undefined ? {} : { projectId: project }),
    ...(keyFile === undefined ? {} : { keyFilename: keyFile }),
    ...(credentials === undefined ? {} : { credentials }),
    ...(apiEndpoint === undefined ? {} : { apiEndpoint }),
    // By itself it gives an upload up whose connection was cut. Nothing here depends on what lay under a name before.
    retryOptions: { idempotencyStrategy: IdempotencyStrategy.RetryAlways, maxRetries: 2, maxRetryDelay: 1 },
    useAuthWithCustomEndpoint: !isAnonymous && (keyFile ?? credentials) !== undefined,
  };
}
