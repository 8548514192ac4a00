// Blobs in an S3 bucket. Region, address and credentials come from the environment, as every AWS tool reads them.
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
import type { Blobs } from './blobs.ts';
import { objectBlobs } from './objects.ts';

export function openS3Blobs(bucket: string, prefix: string): Blobs {
  // Servers that imitate S3 know buckets by path only.
  const client = new S3Client({ forcePathStyle: process.env.AWS_ENDPOINT_URL !== undefined });
  const object = (key: string) => ({ Bucket: bucket, Key: key });
  return objectBlobs(
    {
      async upload(key, file) {
        await new Upload({ client, params: { ...object(key), Body: createReadStream(file) } }).done();
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
      close: () => client.destroy(),
    },
    prefix,
  );
}
