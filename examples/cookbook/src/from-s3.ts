import { isUtf8 } from 'node:buffer';
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

/** Services send text as UTF-8, which the SDK reads as Latin-1, or encode it as RFC 2047 does. */
function textOf(header: string): string {
  const bytes = Buffer.from(header, 'latin1');
  const text = bytes.toString('latin1') === header && isUtf8(bytes) ? bytes.toString() : header;
  const word = /=\?utf-8\?(?:(b)\?([a-z\d+/]+=*)|q\?([^?]+))\?=(?:\s+(?==\?utf-8\?))?/gi;
  return text.replace(word, (whole, isBase64?: string, base64 = '', quoted = '') => {
    const octets = isBase64 ? Buffer.from(base64, 'base64') : quotedOctets(quoted);
    return isUtf8(octets) && octets.every((octet) => octet >= 32) ? octets.toString() : whole;
  });
}

const quotedOctets = (encoded: string): Buffer =>
  Buffer.from(
    encoded
      .replaceAll('_', ' ')
      .replace(/=([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );

const textsOf = (metadata: Record<string, string> = {}) =>
  Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, textOf(value)]));

/**
 * Copies an S3 bucket to a bucket of the storage. Run it again to copy new and changed objects.
 * Objects that something else has stored are never replaced.
 */
export async function copyFromS3(storage: ObjectStorage, from: From, to: string): Promise<number> {
  const { client, bucket: Bucket } = from;
  let copied = 0;
  // Otherwise XML could not contain every key. Some services do not encode them nevertheless.
  const asked = { Bucket, EncodingType: 'url' } as const;
  for await (const page of paginateListObjectsV2({ client }, asked)) {
    for (const listed of page.Contents ?? []) {
      const { Key: written = '' } = listed;
      const isEncoded = page.EncodingType === 'url';
      const key = isEncoded ? decodeURIComponent(written.replaceAll('+', ' ')) : written;
      const target = { bucket: to, key };
      const found = await storage.getObjectMeta(target).catch((error) => {
        if (error.code === 'NoSuchKey') return undefined;
        throw error;
      });
      const earlier = found?.metadata[COPIED];
      if (found && (earlier === undefined || earlier === versionOf(listed))) continue;
      const get = new GetObjectCommand({ Bucket, Key: key });
      const source = await client.send(get).catch((error) => {
        // It has been deleted since it was listed.
        if (error.name === 'NoSuchKey') return undefined;
        throw error;
      });
      if (source === undefined) continue;
      try {
        await storage.putObject({
          ...target,
          ...(found ? { ifMatch: found.etag } : { ifNoneMatch: '*' }),
          body: source.Body as Readable,
          contentLength: source.ContentLength,
          contentType: source.ContentType,
          contentEncoding: source.ContentEncoding,
          contentDisposition: source.ContentDisposition && textOf(source.ContentDisposition),
          cacheControl: source.CacheControl,
          metadata: { ...textsOf(source.Metadata), [COPIED]: versionOf(source) },
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
