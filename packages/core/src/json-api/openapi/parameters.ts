import type { Operation } from '../../http/operation.js';
import { date, flag, type Parse, type Reader, wholeNumber } from '../../http/readers.js';
import { PREFIX } from '../header-prefix.js';
import { type Schema, text, whole } from './schemas.js';

/** A parameter object of OpenAPI. */
export interface ParameterObject {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
  readonly required: boolean;
  readonly schema: Schema;
}

/** The schemas of parsed values. Everything else is text. */
const PARSED = new Map<Parse<unknown> | undefined, Schema>([
  [wholeNumber, whole],
  [flag, { type: 'boolean' }],
  [date, { ...text, examples: ['Sun, 22 Nov 2026 12:00:00 GMT'] }],
]);

/** Headers that OpenAPI describes elsewhere. */
const ELSEWHERE = ['content-type', 'authorization', 'accept'];

/** The parameters that an operation reads, except those whose names are not known in advance. */
export function parametersOf({ reads, route, body }: Operation): readonly ParameterObject[] {
  const found: ParameterObject[] = [];
  const add = (name: string, where: ParameterObject['in'], schema: Schema, required: boolean) => {
    const isKnown = name.endsWith('*') || ELSEWHERE.includes(name);
    if (isKnown || found.some((other) => other.name === name)) return;
    found.push({ name, in: where, description: describe(name), required, schema });
  };
  for (const reader of Object.values(reads)) {
    const schema = schemaOf(reader);
    for (const name of reader.query ?? []) {
      const isMarker = route.query?.includes(name) === true;
      add(name, isMarker ? 'path' : 'query', schema, isMarker);
    }
    const [header] = reader.headers ?? [];
    if (header !== undefined) add(header, 'header', schema, isRequired(reader, route.headers));
  }
  for (const name of body === undefined ? [] : ['content-md5', `${PREFIX}content-sha256`]) {
    add(name, 'header', text, false);
  }
  return found;
}

const isRequired = ({ headers = [] }: Reader<unknown>, markers: readonly string[] = []) =>
  headers.some((name) => markers.includes(name) || PREFLIGHT.includes(name));

/** Headers without which a request is not a preflight. */
const PREFLIGHT = ['origin', 'access-control-request-method'];

const schemaOf = ({ parse }: Reader<unknown>): Schema => PARSED.get(parse) ?? text;

const describe = (name: string): string => {
  const description = DESCRIPTIONS[name.replace(PREFIX, '')];
  if (description === undefined) throw new Error(`The parameter ${name} has no description.`);
  return description;
};

const OVERRIDES = 'Replaces the stored header in the response. Not allowed for anonymous callers.';
const GRANTEES = 'Grants this permission to users: `id="u1",id="u2";tenantId="t2"`.';
const STORED = 'Stored with the object, and returned with it.';

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  prefix: 'Lists only names that start with this prefix.',
  delimiter: 'Groups keys that are equal up to this character after the prefix. Usually `/`.',
  marker: 'The page starts after this key.',
  maxKeys: 'The maximum number of entries on the page, up to 1,000.',
  keyMarker: 'The page starts after this key.',
  uploadIdMarker: 'With `keyMarker`: the page starts after this upload of that key.',
  maxUploads: 'The maximum number of entries on the page, up to 1,000.',
  partNumberMarker: 'The page starts after this part number.',
  maxParts: 'The maximum number of entries on the page, up to 1,000.',
  uploadId: 'The upload id that InitiateMultipartUpload returned.',
  partNumber: 'The number of the part, from 1 to 10,000.',
  offset: 'The size of the object. Without it, a new object is created.',
  appendId:
    'Names this append. If one of the last 16 appends had the same id and data, the request changes nothing.',
  responseContentType: OVERRIDES,
  responseContentEncoding: OVERRIDES,
  responseContentLanguage: OVERRIDES,
  responseContentDisposition: OVERRIDES,
  responseCacheControl: OVERRIDES,
  responseExpires: OVERRIDES,
  range: 'One range: `bytes=0-9`, `bytes=10-` or `bytes=-5`.',
  'if-range': 'The range applies only if the object has this ETag or date.',
  'if-match': 'The request succeeds only if the object has this ETag.',
  'if-none-match':
    'The request succeeds only if the object does not have this ETag; with `*`, only if there is no object.',
  'if-modified-since': 'The request succeeds only if the object was modified after this time.',
  'if-unmodified-since':
    'The request succeeds only if the object was not modified after this time.',
  'forbid-overwrite': 'If true, the request succeeds only if no object has this key.',
  'content-encoding': STORED,
  'content-language': STORED,
  'content-disposition': STORED,
  'cache-control': STORED,
  expires: STORED,
  'content-md5': 'The MD5 of the body, in Base64, to verify it.',
  'content-sha256': 'The SHA-256 of the body, in hexadecimal, to verify it.',
  'content-crc32': 'The CRC-32 of the data, as a decimal number, to verify it.',
  'content-crc32c': 'The CRC-32C of the data, as a decimal number, to verify it.',
  'content-crc64ecma': 'The CRC-64/XZ of the data, as a decimal number, to verify it.',
  'content-crc32c-flag': 'If true, the response contains the CRC-32C.',
  'storage-class': 'The storage class. Default: that of the bucket.',
  acl: 'A canned access control list: `private`, `public-read` or, for buckets, `public-read-write`.',
  'grant-read': GRANTEES,
  'grant-full-control': GRANTEES,
  'copy-source': 'The object to copy: `/<bucket>/<key>`, percent-encoded.',
  'copy-source-range': 'The range to copy. Default: all data.',
  'copy-source-if-match': 'Copies only if the source has this ETag.',
  'copy-source-if-none-match': 'Copies only if the source does not have this ETag.',
  'copy-source-if-modified-since': 'Copies only if the source was modified after this time.',
  'copy-source-if-unmodified-since': 'Copies only if the source was not modified after this time.',
  'metadata-directive':
    '`copy` (default): the headers of the source. `replace`: the headers of this request.',
  'rename-key': 'The key of the object to rename, percent-encoded.',
  origin: 'The origin of the page.',
  'access-control-request-method': 'The method of the request that follows.',
  'access-control-request-headers': 'The headers of the request that follows.',
};
