import {
  contentHeaders,
  describeObject,
  header,
  httpDate,
  mixed,
  type ObjectChecksum,
  type Overrides,
  responseOverrides as overridesIn,
  RawMetadata,
  RawValue,
  type Reader,
  type StoredObject,
} from '@bucketware/core/dialect';
import { withoutAwsChunked } from '@bucketware/signature';
import { invalid, S3Error } from './errors.js';
import { amz, pairsIn } from './readers.js';
import { checksumHeaders, isKind } from './request/checksums.js';

const META = 'x-amz-meta-';

/** User metadata in headers, or in the query if a presigner moved it there. */
const metadata: Reader<RawMetadata | undefined> = {
  label: `The headers ${META}*`,
  headers: [`${META}*`],
  query: [`${META}*`],
  read(source) {
    const pairs = pairsIn(source, META);
    return pairs.length === 0 ? undefined : new RawMetadata(pairs, META);
  },
};

/** The object's encodings, without `aws-chunked`, which is only an encoding of the request. */
const contentEncoding = header('content-encoding', (text) => {
  const coding = withoutAwsChunked(text);
  return coding === undefined ? undefined : new RawValue(coding);
});

/** The headers and user metadata that PutObject stores and GetObject returns. */
export const storedHeaders = {
  ...contentHeaders,
  contentEncoding: contentEncoding as Reader<RawValue | undefined>,
  metadata,
};

/** The S3 names for the storage classes whose objects can be read immediately. */
const CLASSES = { STANDARD: 'STANDARD', STANDARD_IA: 'STANDARD_IA', GLACIER_IR: 'COLD' } as const;

const SHOWN: Readonly<Record<string, string>> = {
  STANDARD: 'STANDARD',
  MAZ_STANDARD: 'STANDARD',
  STANDARD_IA: 'STANDARD_IA',
  MAZ_STANDARD_IA: 'STANDARD_IA',
};

/** The S3 name for the class of an object. */
export const shownClass = (storageClass: string): string => SHOWN[storageClass] ?? 'GLACIER_IR';

export const classOf = (text: string) => {
  if (Object.hasOwn(CLASSES, text)) return CLASSES[text as keyof typeof CLASSES];
  const offered = Object.keys(CLASSES).join(', ');
  throw new S3Error('InvalidStorageClass', `The storage class must be one of ${offered}.`);
};

export const storageClass = amz('x-amz-storage-class', classOf);

export const responseOverrides = overridesIn((_, name) => `response-${name}`);

/** The headers of GetObject and HeadObject, apart from those of a range. */
export function describe(object: StoredObject, overrides: Overrides): Record<string, string> {
  const shown = shownClass(object.storageClass);
  const own = expirationHeader(object);
  if (shown !== 'STANDARD') own['x-amz-storage-class'] = shown;
  if (object.tagCount !== undefined) own['x-amz-tagging-count'] = String(object.tagCount);
  return describeObject(object, { prefix: META, own, overrides });
}

/** The header that states when a lifecycle rule will remove the object: no earlier than that. */
export function expirationHeader({ expiration }: StoredObject): Record<string, string> {
  if (expiration === undefined) return {};
  const date = httpDate(Math.ceil(+expiration.at / 1000) * 1000);
  const rule = encodeURIComponent(expiration.ruleId);
  return { 'x-amz-expiration': `expiry-date="${date}", rule-id="${rule}"` };
}

/** Requests the checksum of the data in the response. */
export const checksumMode = {
  checksumMode: amz('x-amz-checksum-mode', (text) => {
    if (text === 'ENABLED') return true;
    throw invalid('The header x-amz-checksum-mode must be ENABLED.');
  }),
};

/** The checksum of an object, if it is of a kind that S3 knows. */
export function shownChecksum(object: StoredObject): ObjectChecksum | undefined {
  const { checksum, contentCrc32: crc32 } = object;
  if (checksum === undefined || isKind(checksum.algorithm)) return checksum;
  if (crc32 === undefined) return undefined;
  return { algorithm: 'crc32', type: 'whole', value: crc32.toString(16).padStart(8, '0') };
}

/** The headers of a requested part, and the checksum of the data in the response, if requested. */
export function partAndChecksum(
  object: StoredObject,
  { checksumMode: shown }: { readonly checksumMode: boolean | undefined },
  range: { readonly start: number; readonly end: number } | undefined,
): Record<string, string> {
  const { part, partsCount } = object;
  const whole = shownChecksum(object);
  const count = part && partsCount;
  const headers: Record<string, string> = {};
  if (count !== undefined) headers['x-amz-mp-parts-count'] = String(count);
  if (shown !== true) return headers;
  if (part?.checksum !== undefined) {
    const { algorithm, value } = part.checksum;
    return mixed(headers, checksumHeaders({ algorithm, value, type: whole?.type ?? 'whole' }));
  }
  return part !== undefined || range === undefined
    ? mixed(headers, checksumHeaders(whole))
    : headers;
}
