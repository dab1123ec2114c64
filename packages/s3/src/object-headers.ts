import {
  header,
  headerValue,
  httpDate,
  query,
  RawMetadata,
  RawValue,
  type Reader,
  raw,
  recordOf,
  type StoredObject,
} from '@bucketware/core/dialect';
import { withoutAwsChunked } from '@bucketware/signature';
import { S3Error } from './errors.js';
import { amz, pairsIn } from './readers.js';
import { crc32Text } from './request/checksums.js';

const META = 'x-amz-meta-';

/** User metadata, in headers or moved to the query. */
const metadata: Reader<RawMetadata | undefined> = {
  label: `The headers ${META}*`,
  headers: [`${META}*`],
  query: [`${META}*`],
  read(source) {
    const pairs = pairsIn(source, META);
    return pairs.length === 0 ? undefined : new RawMetadata(pairs, META);
  },
};

/** The coding of the upload is none of the object. */
const contentEncoding = header('content-encoding', (text) => {
  const coding = withoutAwsChunked(text);
  return coding === undefined ? undefined : new RawValue(coding);
});

/** The headers that PutObject stores and GetObject gives back, with user metadata. */
export const storedHeaders = {
  contentType: header('content-type', raw),
  contentEncoding: contentEncoding as Reader<RawValue | undefined>,
  contentLanguage: header('content-language', raw),
  contentDisposition: header('content-disposition', raw),
  cacheControl: header('cache-control', raw),
  expires: header('expires', raw),
  metadata,
};

/** Names of S3 for the classes of the storage whose objects can be read at once. */
const CLASSES = { STANDARD: 'STANDARD', STANDARD_IA: 'STANDARD_IA', GLACIER_IR: 'COLD' } as const;

const SHOWN: Readonly<Record<string, string>> = {
  STANDARD: 'STANDARD',
  MAZ_STANDARD: 'STANDARD',
  STANDARD_IA: 'STANDARD_IA',
  MAZ_STANDARD_IA: 'STANDARD_IA',
};

/** The class of an object as S3 calls it. */
export const shownClass = (storageClass: string): string => SHOWN[storageClass] ?? 'GLACIER_IR';

export const classOf = (text: string) => {
  if (Object.hasOwn(CLASSES, text)) return CLASSES[text as keyof typeof CLASSES];
  const offered = Object.keys(CLASSES).join(', ');
  throw new S3Error('InvalidStorageClass', `The storage class must be one of ${offered}.`);
};

export const storageClass = amz('x-amz-storage-class', classOf);

/** A query parameter that takes the place of a stored header. */
const override = (name: string): Reader<string | undefined> => {
  const reader = query(name);
  return { ...reader, read: (source) => headerValue.accept(reader.read(source), reader.label) };
};

export const responseOverrides = {
  responseContentType: override('response-content-type'),
  responseContentEncoding: override('response-content-encoding'),
  responseContentLanguage: override('response-content-language'),
  responseContentDisposition: override('response-content-disposition'),
  responseCacheControl: override('response-cache-control'),
  responseExpires: override('response-expires'),
};

type Overrides = { readonly [K in keyof typeof responseOverrides]: string | undefined };

/** The headers of GetObject and HeadObject, apart from those of a range. */
export function describe(object: StoredObject, asked: Overrides): Record<string, string> {
  const record = recordOf(object);
  const headers: Record<string, string> = {
    etag: `"${record.etag}"`,
    'last-modified': httpDate(record.lastModified),
    'accept-ranges': 'bytes',
  };
  const shown = shownClass(record.storageClass);
  if (shown !== 'STANDARD') headers['x-amz-storage-class'] = shown;
  for (const [name, value] of record.headers) headers[name] = value;
  for (const [name, value] of record.metadata) headers[META + name] = value;
  for (const [name, value] of Object.entries(asked)) {
    if (value !== undefined) headers[HEADERS[name as keyof Overrides]] = value;
  }
  return headers;
}

const HEADERS: Readonly<Record<keyof Overrides, string>> = {
  responseContentType: 'content-type',
  responseContentEncoding: 'content-encoding',
  responseContentLanguage: 'content-language',
  responseContentDisposition: 'content-disposition',
  responseCacheControl: 'cache-control',
  responseExpires: 'expires',
};

/** What is known of the whole, where an answer has all of it. */
export function wholeChecksum(object: StoredObject): Record<string, string> {
  const { crc32 } = recordOf(object);
  if (crc32 === undefined) return {};
  return { 'x-amz-checksum-crc32': crc32Text(crc32), 'x-amz-checksum-type': 'FULL_OBJECT' };
}
