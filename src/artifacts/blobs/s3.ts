// Objects in an S3 bucket.
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  NotFound,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { S3Access } from './access.ts';
import { type AwsIdentity, presignedGet, presignedPost } from './awsSigning.ts';
import type { ObjectClient } from './objects.ts';

export function openS3Objects(bucket: string, access: S3Access): ObjectClient {
  const endpoint = access.s3EndpointUrl ?? process.env.AWS_ENDPOINT_URL_S3 ?? process.env.AWS_ENDPOINT_URL;
  const client = new S3Client({
    // Servers that imitate S3 know buckets by path only.
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(access.s3Region === null ? {} : { region: access.s3Region }),
    ...(access.s3AccessKey === null || access.s3SecretKey === null
      ? {}
      : { credentials: { accessKeyId: access.s3AccessKey, secretAccessKey: access.s3SecretKey } }),
  });
  const object = (key: string) => ({ Bucket: bucket, Key: key });

  async function identity(): Promise<AwsIdentity> {
    return { ...(await client.config.credentials()), region: await client.config.region() };
  }

  /** Where the bucket is, as a store that knows buckets by name or by path. */
  async function bucketUrl(): Promise<URL> {
    return endpoint === undefined
      ? new URL(`https://${bucket}.s3.${await client.config.region()}.amazonaws.com/`)
      : new URL(`${endpoint.replace(/\/$/, '')}/${bucket}/`);
  }

  return {
    async upload(key, file, signal) {
      const upload = new Upload({ client, params: { ...object(key), Body: createReadStream(file) } });
      signal.addEventListener('abort', () => void upload.abort(), { once: true });
      await upload.done();
    },
    async size(key) {
      try {
        return (await client.send(new HeadObjectCommand(object(key)))).ContentLength ?? 0;
      } catch (error) {
        if (error instanceof NotFound) return undefined;
        throw error;
      }
    },
    async read(key) {
      const { Body } = await client.send(new GetObjectCommand(object(key)));
      if (!(Body instanceof Readable)) throw new Error('S3 answered without bytes.');
      return Body;
    },
    async remove(key) {
      await client.send(new DeleteObjectCommand(object(key)));
    },
    async *list(base) {
      for await (const page of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: base })) {
        yield (page.Contents ?? []).flatMap(({ Key, LastModified }) =>
          Key === undefined ? [] : [{ key: Key, writtenAt: (LastModified?.getTime() ?? 0) / 1000 }],
        );
      }
    },
    presigner: {
      async download(key, seconds) {
        const url = new URL(key.split('/').map(encodeURIComponent).join('/'), await bucketUrl());
        return presignedGet(url, await identity(), seconds);
      },
      async upload(key, limits) {
        const fields = presignedPost(await identity(), { bucket, key, ...limits });
        return { url: (await bucketUrl()).href.replace(/\/$/, ''), method: 'POST', fields };
      },
    },
    close: () => client.destroy(),
  };
}
