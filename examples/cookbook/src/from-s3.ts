import type { Readable } from 'node:stream';
import { GetObjectCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';
import { type ObjectStorage, StorageError } from '@bucketware/storage';

/** The metadata of a copy: the version of the object that was copied. */
const COPIED = 'copied-version';

interface Version {
  readonly ETag?: string | undefined;
  readonly LastModified?: Date | undefined;
}

const versionOf = ({ ETag, LastModified }: Version) => `${ETag} ${LastModified?.toUTCString()}`;

interface From {
  /** A client of Amazon S3, MinIO or any compatible service. */
  readonly client: S3Client;
  readonly bucket: string;
}

/**
 * Copies an S3 bucket to a bucket of the storage. Run it again to copy new and changed objects.
 * Objects that something else has stored are never replaced.
 */
export async function copyFromS3(storage: ObjectStorage, from: From, to: string): Promise<number> {
  const { client, bucket: Bucket } = from;
  let copied = 0;
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket })) {
    for (const listed of Contents) {
      const { Key: key = '' } = listed;
      const target = { bucket: to, key };
      const found = await storage.getObjectMeta(target).catch((error) => {
        if (error.code === 'NoSuchKey') return undefined;
        throw error;
      });
      const earlier = found?.metadata[COPIED];
      if (found && (earlier === undefined || earlier === versionOf(listed))) continue;
      const source = await client.send(new GetObjectCommand({ Bucket, Key: key }));
      try {
        await storage.putObject({
          ...target,
          ...(found ? { ifMatch: found.etag } : { ifNoneMatch: '*' }),
          body: source.Body as Readable,
          contentLength: source.ContentLength,
          contentType: source.ContentType,
          contentEncoding: source.ContentEncoding,
          contentDisposition: source.ContentDisposition,
          cacheControl: source.CacheControl,
          metadata: { ...source.Metadata, [COPIED]: versionOf(source) },
        });
        copied += 1;
      } catch (error) {
        // Something else has stored this object meanwhile.
        if (!(error instanceof StorageError && error.code === 'PreconditionFailed')) throw error;
      }
    }
  }
  return copied;
}
