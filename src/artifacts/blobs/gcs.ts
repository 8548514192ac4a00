// Blobs in a Google Cloud Storage bucket. Credentials come from the environment, as every Google tool reads them.
import { Storage } from '@google-cloud/storage';
import type { Blobs } from './blobs.ts';
import { objectBlobs } from './objects.ts';

const pageLength = 1000;

export function openGcsBlobs(bucketName: string, prefix: string): Blobs {
  const bucket = new Storage().bucket(bucketName);
  return objectBlobs(
    {
      async upload(key, file) {
        await bucket.upload(file, { destination: key, resumable: false });
      },
      async size(key) {
        const [exists] = await bucket.file(key).exists();
        if (!exists) return undefined;
        const [metadata] = await bucket.file(key).getMetadata();
        return Number(metadata.size ?? 0);
      },
      read: async (key) => bucket.file(key).createReadStream({ validation: false }),
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
          return { url, method: 'POST', fields };
        },
      },
      close: () => {},
    },
    prefix,
  );
}
