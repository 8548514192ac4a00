// Buckets of S3 and of servers that speak like it. Without keys the machine's own identity is used, or a profile's: a web
// identity is read from its token file again whenever it is refreshed.
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { GetObjectCommand, paginateListObjectsV2, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { isSet, optionOf, type RemoteObject, type StorageOptions, type StoreClient } from './store.ts';

export function openS3(bucket: string, options: StorageOptions): StoreClient {
  const client = new S3Client(configOf(options));
  return {
    async list(prefix, signal) {
      const found: RemoteObject[] = [];
      for await (const page of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix })) {
        signal.throwIfAborted();
        for (const { Key: name = '', Size: size = 0, ETag: etag = '', LastModified: at } of page.Contents ?? [])
          found.push({ name, size, etag, mtime: at?.toISOString() ?? '' });
      }
      return found;
    },
    async read(name, signal) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: name }), { abortSignal: signal });
      if (!(Body instanceof Readable)) throw new Error('S3 answered without bytes.');
      return Body;
    },
    async upload(name, file, signal) {
      const upload = new Upload({ client, params: { Bucket: bucket, Key: name, Body: createReadStream(file) } });
      signal.addEventListener('abort', () => void upload.abort(), { once: true });
      await upload.done();
    },
    close: () => client.destroy(),
  };
}

function configOf(options: StorageOptions): S3ClientConfig {
  const more = options.client_kwargs;
  const given: StorageOptions = { ...(typeof more === 'object' ? more : {}), ...options };
  const accessKeyId = optionOf(given, 'key') ?? optionOf(given, 'aws_access_key_id');
  const secretAccessKey = optionOf(given, 'secret') ?? optionOf(given, 'aws_secret_access_key');
  const sessionToken = optionOf(given, 'token') ?? optionOf(given, 'aws_session_token');
  const region = optionOf(given, 'region') ?? optionOf(given, 'region_name') ?? process.env.AWS_REGION;
  const endpoint = optionOf(given, 'endpoint_url') ?? process.env.AWS_ENDPOINT_URL;
  const profile = optionOf(given, 'profile');
  return {
    region: region ?? 'us-east-1',
    maxAttempts: 3,
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(profile === undefined ? {} : { profile }),
    ...(accessKeyId === undefined || secretAccessKey === undefined
      ? {}
      : { credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) } }),
    // A request that nobody signs asks for what everybody may read.
    ...(isSet(given, 'anon') ? { signer: { sign: async (request) => request }, credentials: nobody } : {}),
  };
}

const nobody = { accessKeyId: '', secretAccessKey: '' };
