// Objects in a Google Cloud Storage bucket.
import { once } from 'node:events';
import { Storage, type StorageOptions } from '@google-cloud/storage';
import { type GcsAccess, withScheme } from './access.ts';
import type { ObjectClient } from './objects.ts';

const pageLength = 1000;

export function openGcsObjects(bucketName: string, access: GcsAccess): ObjectClient {
  const bucket = new Storage(clientOptions(access)).bucket(bucketName);
  /** At an address of one's own the client leaves the bucket out. */
  const formAddress = (usual: string): string =>
    access.gcsEndpointOverride === null ? usual : `${withScheme(access.gcsEndpointOverride)}/${bucketName}/`;
  return {
    async upload(key, file) {
      await bucket.upload(file, { destination: key, resumable: false });
    },
    async size(key) {
      const [exists] = await bucket.file(key).exists();
      if (!exists) return undefined;
      const [metadata] = await bucket.file(key).getMetadata();
      return Number(metadata.size ?? 0);
    },
    async read(key) {
      const bytes = bucket.file(key).createReadStream({ validation: false });
      // The client asks when somebody reads, which would be too late to be told that the store is silent.
      await once(bytes, 'readable');
      return bytes;
    },
    async remove(key) {
      await bucket.file(key).delete({ ignoreNotFound: true });
    },
    async *list(base) {
      let pageToken: string | undefined;
      do {
        const query = { prefix: base, autoPaginate: false, maxResults: pageLength };
        const [files, next] = await bucket.getFiles(pageToken === undefined ? query : { ...query, pageToken });
        yield files.map(({ name, metadata }) => ({
          key: name,
          writtenAt: Date.parse(metadata.updated ?? '') / 1000,
        }));
        pageToken = next && 'pageToken' in next && typeof next.pageToken === 'string' ? next.pageToken : undefined;
      } while (pageToken !== undefined);
    },
    presigner: {
      async download(key, seconds) {
        const expires = Date.now() + seconds * 1000;
        const [url] = await bucket.file(key).getSignedUrl({ version: 'v4', action: 'read', expires });
        return url;
      },
      async upload(key, { maxBytes, seconds }) {
        const [{ url, fields }] = await bucket.file(key).generateSignedPostPolicyV4({
          expires: Date.now() + seconds * 1000,
          conditions: [['content-length-range', 1, maxBytes]],
        });
        return { url: formAddress(url), method: 'POST', fields };
      },
    },
    close: () => {},
  };
}

function clientOptions({ gcsCredentialsJson: given, gcsAnonymous, gcsEndpointOverride }: GcsAccess): StorageOptions {
  return {
    ...(given === null ? {} : given.startsWith('{') ? { credentials: JSON.parse(given) } : { keyFilename: given }),
    ...(gcsEndpointOverride === null
      ? {}
      : // The client signs nothing at an address that is not its own unless it is told to.
        { apiEndpoint: withScheme(gcsEndpointOverride), useAuthWithCustomEndpoint: given !== null && !gcsAnonymous }),
  };
}
