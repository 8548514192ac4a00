// Buckets of Google Cloud Storage. `token` names a key file or a workload identity, whose own token file is read again
// whenever it is refreshed; without one the machine's identity is used.
import { once } from 'node:events';
import { Storage } from '@google-cloud/storage';
import { isSet, optionOf, type StorageOptions, type StoreClient } from './store.ts';

export function openGcs(bucketName: string, options: StorageOptions): StoreClient {
  const projectId = optionOf(options, 'project');
  const token = optionOf(options, 'token');
  const isAnonymous = token === 'anon' || isSet(options, 'anon');
  const address = optionOf(options, 'endpoint_url') ?? process.env.STORAGE_EMULATOR_HOST;
  // The client signs nothing where the address is not its own, spelled as it spells it.
  const apiEndpoint = address ?? (isAnonymous ? 'https://storage.googleapis.com:443' : undefined);
  const keyFilename = token === undefined || /^(?:anon|google_default|cloud|cache)$/.test(token) ? undefined : token;
  const storage = new Storage({
    ...(projectId === undefined ? {} : { projectId }),
    ...(keyFilename === undefined ? {} : { keyFilename }),
    ...(apiEndpoint === undefined ? {} : { apiEndpoint }),
    useAuthWithCustomEndpoint: !isAnonymous && keyFilename !== undefined,
  });
  const bucket = storage.bucket(bucketName);
  return {
    async list(prefix) {
      const [files] = await bucket.getFiles({ prefix });
      return files.map(({ name, metadata: { size = 0, etag = '', updated = '' } }) => ({
        name,
        size: Number(size),
        etag,
        mtime: updated,
      }));
    },
    async read(name) {
      const bytes = bucket.file(name).createReadStream();
      // The client asks when somebody reads, which would be too late to be told that the store is silent.
      await once(bytes, 'readable');
      return bytes;
    },
    async upload(name, file) {
      await bucket.upload(file, { destination: name, resumable: false });
    },
    close: () => {},
  };
}
