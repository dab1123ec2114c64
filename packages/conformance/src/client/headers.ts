import assert from 'node:assert/strict';
import type { OutgoingHttpHeaders } from 'node:http';
import type {
  AclOptions,
  Conditions,
  Digests,
  GetOptions,
  ObjectDescription,
  ObjectName,
  ObjectOptions,
  StoredHeaders,
  Written,
} from '../actions/values.js';
import type { Answer } from '../http/answer.js';
import { bare, numberIn } from './answers.js';
import { pathOf } from './connection.js';
import type { Spelling } from './spelling.js';

/** How parameters are written in headers, and results read from them. */

const STORED: Readonly<Record<keyof StoredHeaders, string>> = {
  contentType: 'content-type',
  contentEncoding: 'content-encoding',
  contentLanguage: 'content-language',
  contentDisposition: 'content-disposition',
  cacheControl: 'cache-control',
  expires: 'expires',
};

const CONDITIONS: Readonly<Record<keyof Conditions, string>> = {
  ifMatch: 'if-match',
  ifNoneMatch: 'if-none-match',
  ifModifiedSince: 'if-modified-since',
  ifUnmodifiedSince: 'if-unmodified-since',
};

/** The values that are present, under other names. */
function renamed<Name extends string>(
  names: Readonly<Record<Name, string>>,
  values: Readonly<Partial<Record<Name, string | undefined>>>,
  nameOf = (header: string, _name: string) => header,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of Object.keys(names) as Name[]) {
    const value = values[name];
    if (value !== undefined) headers[nameOf(names[name], name)] = value;
  }
  return headers;
}

export function aclHeaders(
  { prefix, granteeOf }: Spelling,
  { acl, grantRead, grantFullControl }: AclOptions,
): OutgoingHttpHeaders {
  const list = (ids: readonly string[]) => ids.map(granteeOf).join(', ');
  return {
    ...(acl !== undefined && { [`${prefix}acl`]: acl }),
    ...(grantRead && { [`${prefix}grant-read`]: list(grantRead) }),
    ...(grantFullControl && { [`${prefix}grant-full-control`]: list(grantFullControl) }),
  };
}

export const metadataHeaders = (
  { prefix }: Spelling,
  metadata: Readonly<Record<string, string>> = {},
): OutgoingHttpHeaders =>
  Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [`${prefix}meta-${name}`, value]),
  );

export const objectHeaders = (
  spelling: Spelling,
  options: ObjectOptions = {},
): OutgoingHttpHeaders => ({
  ...renamed(STORED, options),
  ...metadataHeaders(spelling, options.metadata),
  ...(options.storageClass !== undefined && {
    [`${spelling.prefix}storage-class`]: options.storageClass,
  }),
  ...aclHeaders(spelling, options),
});

export const digestHeaders = (
  { prefix, crc32: name, crc32Text }: Spelling,
  { md5, sha256, crc32 }: Digests = {},
): OutgoingHttpHeaders => ({
  ...(md5 !== undefined && { 'content-md5': Buffer.from(md5, 'hex').toString('base64') }),
  ...(sha256 !== undefined && { [`${prefix}content-sha256`]: sha256 }),
  ...(crc32 !== undefined && { [name]: crc32Text(crc32) }),
});

export const conditionHeaders = (conditions: Conditions = {}): OutgoingHttpHeaders =>
  renamed(CONDITIONS, conditions);

export const sourceHeaders = (
  spelling: Spelling,
  { bucket, key }: ObjectName,
  conditions: Conditions = {},
): OutgoingHttpHeaders => ({
  [`${spelling.prefix}copy-source`]: pathOf(spelling, bucket, key),
  ...renamed(CONDITIONS, conditions, (header) => `${spelling.prefix}copy-source-${header}`),
});

/** The headers and parameters of GetObject and GetObjectMeta. */
export const readParameters = (
  { digestsHeaders, overrideOf }: Spelling,
  { range, ifRange, conditions, overrides = {} }: GetOptions,
) => ({
  headers: {
    ...digestsHeaders,
    ...(range !== undefined && { range }),
    ...(ifRange !== undefined && { 'if-range': ifRange }),
    ...conditionHeaders(conditions),
  },
  query: renamed(STORED, overrides, (header, name) => overrideOf(name, header)),
});

function digestsIn({ crc32: name, crc32In }: Spelling, answer: Answer): Digests {
  const md5 = answer.header('content-md5');
  const crc32 = answer.header(name);
  return {
    md5: md5 === undefined ? undefined : Buffer.from(md5, 'base64').toString('hex'),
    crc32: crc32 === undefined ? undefined : crc32In(crc32),
  };
}

/** The result in the response to writing an object or a part. */
export const writtenIn = (spelling: Spelling, answer: Answer): Written => ({
  etag: bare(answer.header('etag')),
  digests: digestsIn(spelling, answer),
  http: answer,
});

const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/** The description of an object in the headers of a response to GET or HEAD. */
export function descriptionIn(spelling: Spelling, answer: Answer): ObjectDescription {
  const { prefix, defaultClass } = spelling;
  const modified = answer.header('last-modified') ?? '';
  assert.match(modified, HTTP_DATE);
  assert.equal(answer.header('accept-ranges'), 'bytes');
  const type = answer.header(`${prefix}object-type`);
  const appendOffset = numberIn(answer.header(`${prefix}next-append-offset`));
  assert.equal(type, appendOffset === undefined ? undefined : 'Appendable');
  const meta = `${prefix}meta-`;
  const metadata = answer.headerNames
    .filter((name) => name.startsWith(meta))
    .map((name) => [name.slice(meta.length), answer.header(name)]);
  const stored = Object.entries(STORED).map(([name, header]) => [name, answer.header(header)]);
  return {
    ...Object.fromEntries(stored),
    size: Number(answer.header('content-length')),
    etag: bare(answer.header('etag')),
    lastModified: new Date(modified),
    metadata: Object.fromEntries(metadata),
    storageClass: answer.header(`${prefix}storage-class`) ?? defaultClass,
    digests: digestsIn(spelling, answer),
    appendOffset,
    range: rangeIn(answer),
    http: answer,
  };
}

/** Asserts that 206 and Content-Range occur together, with the length of the range. */
function rangeIn(answer: Answer): ObjectDescription['range'] {
  const value = answer.header('content-range');
  assert.equal(value !== undefined, answer.status === 206);
  if (value === undefined) return undefined;
  const [, first, last, of] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(value) ?? [];
  const range = { first: Number(first), last: Number(last), of: Number(of) };
  assert.equal(answer.header('content-length'), String(range.last - range.first + 1), value);
  return range;
}
