import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { GetObjectCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';
import { type ObjectStorage, StorageError } from '@bucketware/storage';

/** The metadata of a copy: its key, and the version of the object that was copied. */
const COPIED = 'copied-from';

interface Version {
  readonly ETag?: string | undefined;
  readonly LastModified?: Date | undefined;
}

/** A copy that a user makes of a copy has its metadata, too. Therefore, this names the key. */
const placeOf = (key: string) => `${createHash('sha256').update(key).digest('base64url')} `;

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

/** The new version would not have the list. */
const hasOwnList = (storage: ObjectStorage, object: { bucket: string; key: string }) =>
  storage.getObjectAcl(object).then(
    () => true,
    (error) => {
      if (error.code === 'ObjectAclNotExists') return false;
      throw error;
    },
  );

/** In bytes. */
const MAX_KEY = 1023;

/**
 * The keys that a listing may mean. Some services do not encode keys although they say so, or encode
 * them without saying so.
 */
function keysOf(written: string): readonly string[] {
  const keys: string[] = [];
  try {
    keys.push(decodeURIComponent(written.replaceAll('+', ' ')), decodeURIComponent(written));
  } catch {
    // It is not encoded.
  }
  return [...new Set([...keys, written])].filter((key) => Buffer.byteLength(key) <= MAX_KEY);
}

/**
 * Copies an S3 bucket to a bucket of the storage. Run it again to copy new and changed objects.
 * Objects that something else has stored are never replaced, nor copies that have got an access list
 * of their own. Throws at the end if listed objects could not be copied.
 */
export async function copyFromS3(storage: ObjectStorage, from: From, to: string): Promise<number> {
  const { client, bucket: Bucket } = from;
  const copy = async (key: string, listed: Version): Promise<'copied' | 'kept' | 'missing'> => {
    const found = await storage.getObjectMeta({ bucket: to, key }).catch((error) => {
      if (error.code === 'NoSuchKey') return undefined;
      throw error;
    });
    const earlier = found?.metadata[COPIED] ?? '';
    const place = placeOf(key);
    const isOwn = found === undefined || earlier.startsWith(place);
    if (!isOwn || earlier === place + versionOf(listed)) return 'kept';
    const source = await client.send(new GetObjectCommand({ Bucket, Key: key })).catch((error) => {
      if (error.$metadata?.httpStatusCode === 404) return undefined;
      throw error;
    });
    if (source === undefined) return 'missing';
    const body = source.Body as Readable;
    const copied = place + versionOf(source);
    if (copied === earlier || (found && (await hasOwnList(storage, { bucket: to, key })))) {
      body.destroy();
      return 'kept';
    }
    try {
      await storage.putObject({
        ...{ bucket: to, key, body, contentLength: source.ContentLength },
        ...(found ? { ifMatch: found.etag } : { ifNoneMatch: '*' }),
        contentType: source.ContentType,
        contentEncoding: source.ContentEncoding,
        contentDisposition: source.ContentDisposition && textOf(source.ContentDisposition),
        cacheControl: source.CacheControl,
        metadata: { ...textsOf(source.Metadata), [COPIED]: copied },
      });
      return 'copied';
    } catch (error) {
      // Something else has stored this object meanwhile.
      if (error instanceof StorageError && error.code === 'PreconditionFailed') return 'kept';
      throw error;
    }
  };

  let copied = 0;
  const missing: string[] = [];
  // Otherwise XML could not contain every key.
  const asked = { Bucket, EncodingType: 'url' } as const;
  for await (const page of paginateListObjectsV2({ client }, asked)) {
    for (const listed of page.Contents ?? []) {
      const { Key: written = '' } = listed;
      const outcomes: string[] = [];
      for (const key of keysOf(written)) outcomes.push(await copy(key, listed));
      copied += outcomes.filter((outcome) => outcome === 'copied').length;
      if (outcomes.every((outcome) => outcome === 'missing')) missing.push(written);
    }
  }
  if (missing.length === 0) return copied;
  throw new Error(
    `${copied} objects were copied, but ${missing.length} were not, such as ${missing[0]}. If they ` +
      `were deleted meanwhile, run the copy again. A key may have up to ${MAX_KEY} bytes.`,
  );
}
