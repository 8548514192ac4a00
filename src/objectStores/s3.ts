// Buckets of S3 and of servers that speak like it. A web identity is read from its token file again whenever it is refreshed.
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  NotFound,
  paginateListObjectsV2,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { S3Access } from './access.ts';
import type { ObjectClient } from './client.ts';

export function openS3(bucket: string, access: S3Access): ObjectClient {
  const client = new S3Client(configOf(access));
  const object = (name: string) => ({ Bucket: bucket, Key: name });
  return {
    async *list(prefix, signal) {
      for await (const page of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix })) {
        signal?.throwIfAborted();
        yield (page.Contents ?? []).map(({ Key: name = '', Size: size = 0, ETag: etag = '', LastModified: at }) => ({
          name,
          size,
          etag,
          mtime: at?.toISOString() ?? '',
        }));
      }
    },
    async size(name) {
      try {
        return (await client.send(new HeadObjectCommand(object(name)))).ContentLength ?? 0;
      } catch (error) {
        if (error instanceof NotFound) return undefined;
        throw error;
      }
    },
    async read(name, signal) {
      const { Body } = await client.send(new GetObjectCommand(object(name)), signal ? { abortSignal: signal } : {});
      if (!(Body instanceof Readable)) throw new Error('S3 answered without bytes.');
      return Body;
    },
    async upload(name, file, signal) {
      const upload = new Upload({ client, params: { ...object(name), Body: createReadStream(file) } });
      signal.addEventListener('abort', () => void upload.abort(), { once: true });
      await upload.done();
    },
    async remove(name) {
      await client.send(new DeleteObjectCommand(object(name)));
    },
    presigner: {
      async download(name, seconds) {
        const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
        return getSignedUrl(client, new GetObjectCommand(object(name)), { expiresIn: Math.ceil(seconds) });
      },
      async upload(name, { maxBytes, seconds }) {
        const { createPresignedPost } = await import('@aws-sdk/s3-presigned-post');
        const { url, fields } = await createPresignedPost(client, {
          ...object(name),
          Expires: seconds,
          Conditions: [['content-length-range', 1, maxBytes]],
        });
        return { url, method: 'POST', fields };
      },
    },
    close: () => client.destroy(),
  };
}

function configOf({ region, endpoint: asked, profile, keys, isAnonymous = false }: S3Access): S3ClientConfig {
  const endpoint = asked ?? process.env.AWS_ENDPOINT_URL_S3 ?? process.env.AWS_ENDPOINT_URL;
  return {
    maxAttempts: 3,
    ...(region === undefined ? {} : { region }),
    // Servers that imitate S3 know buckets by path only.
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(profile === undefined ? {} : { profile }),
    ...(keys === undefined ? {} : { credentials: keys }),
    ...(isAnonymous ? { signer: { sign: async (request) => request }, credentials: nobody } : {}),
  };
}

const nobody = { accessKeyId: '', secretAccessKey: '' };
