import type { Readable } from 'node:stream';
import { GetObjectCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';
import type { ObjectStorage } from '@bucketware/storage';

interface From {
  /** A client of Amazon S3, MinIO or any compatible service. */
  readonly client: S3Client;
  readonly bucket: string;
}

/** Copies an S3 bucket to a bucket of the storage. Run it again to copy new and changed objects. */
export async function copyFromS3(storage: ObjectStorage, from: From, to: string): Promise<number> {
  const { client, bucket: Bucket } = from;
  let copied = 0;
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket })) {
    for (const { Key: key = '', LastModified = new Date() } of Contents) {
      const target = { bucket: to, key };
      const found = await storage.getObjectMeta(target).catch((error) => {
        if (error.code === 'NoSuchKey') return undefined;
        throw error;
      });
      if (found && found.lastModified > LastModified) continue;
      const source = await client.send(new GetObjectCommand({ Bucket, Key: key }));
      await storage.putObject({
        ...target,
        // An object that something else stores meanwhile is not replaced.
        ...(found ? { ifMatch: found.etag } : { ifNoneMatch: '*' }),
        body: source.Body as Readable,
        contentLength: source.ContentLength,
        contentType: source.ContentType,
        contentEncoding: source.ContentEncoding,
        contentDisposition: source.ContentDisposition,
        cacheControl: source.CacheControl,
        metadata: source.Metadata,
      });
      copied += 1;
    }
  }
  return copied;
}
