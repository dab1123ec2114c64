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
} from '../../actions/values.js';
import type { Answer } from '../../http/answer.js';
import { bare, pathOf } from './connection.js';

/** How this dialect spells parameters in headers, and reads results from them. */

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

/** What is there, under the names of this dialect. */
function renamed<Name extends string>(
  names: Readonly<Record<Name, string>>,
  values: Readonly<Partial<Record<Name, string | undefined>>>,
  prefix = '',
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of Object.keys(names) as Name[]) {
    const value = values[name];
    if (value !== undefined) headers[prefix + names[name]] = value;
  }
  return headers;
}

const idsOf = (ids: readonly string[]): string => ids.map((id) => `id="${id}"`).join(', ');

export const aclHeaders = ({ acl, grantRead, grantFullControl }: AclOptions) => ({
  ...(acl !== undefined && { 'x-svc-acl': acl }),
  ...(grantRead && { 'x-svc-grant-read': idsOf(grantRead) }),
  ...(grantFullControl && { 'x-svc-grant-full-control': idsOf(grantFullControl) }),
});

export function metadataHeaders(metadata: Readonly<Record<string, string>> = {}) {
  const entries = Object.entries(metadata).map(([name, value]) => [`x-svc-meta-${name}`, value]);
  return Object.fromEntries(entries) as Record<string, string>;
}

export const objectHeaders = (options: ObjectOptions = {}): OutgoingHttpHeaders => ({
  ...renamed(STORED, options),
  ...metadataHeaders(options.metadata),
  ...(options.storageClass !== undefined && { 'x-svc-storage-class': options.storageClass }),
  ...aclHeaders(options),
});

export const digestHeaders = ({ md5, sha256, crc32 }: Digests = {}): OutgoingHttpHeaders => ({
  ...(md5 !== undefined && { 'content-md5': Buffer.from(md5, 'hex').toString('base64') }),
  ...(sha256 !== undefined && { 'x-svc-content-sha256': sha256 }),
  ...(crc32 !== undefined && { 'x-svc-content-crc32': crc32 }),
});

export const conditionHeaders = (conditions: Conditions = {}): OutgoingHttpHeaders =>
  renamed(CONDITIONS, conditions);

export const sourceHeaders = (
  { bucket, key }: ObjectName,
  conditions: Conditions = {},
): OutgoingHttpHeaders => ({
  'x-svc-copy-source': pathOf(bucket, key),
  ...renamed(CONDITIONS, conditions, 'x-svc-copy-source-'),
});

export const getHeaders = ({ range, ifRange, conditions }: GetOptions = {}) => ({
  ...(range !== undefined && { range }),
  ...(ifRange !== undefined && { 'if-range': ifRange }),
  ...conditionHeaders(conditions),
});

/** The query parameters `response<Header>`. */
export function overrideQuery(overrides: StoredHeaders = {}): Record<string, string> {
  const entries = Object.entries(overrides).filter(([, value]) => value !== undefined);
  const spelled = entries.map(([name, value]) => [
    `response${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    value,
  ]);
  return Object.fromEntries(spelled) as Record<string, string>;
}

function digestsIn(answer: Answer): Digests {
  const md5 = answer.header('content-md5');
  return {
    md5: md5 === undefined ? undefined : Buffer.from(md5, 'base64').toString('hex'),
    crc32: answer.header('x-svc-content-crc32'),
  };
}

/** What is answered for an object or part that was written. */
export const writtenIn = (answer: Answer): Written => ({
  etag: bare(answer.header('etag') ?? ''),
  digests: digestsIn(answer),
  http: answer,
});

const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;
const META = 'x-svc-meta-';

/** What the headers of GET and HEAD say. */
export function descriptionIn(answer: Answer): ObjectDescription {
  const modified = answer.header('last-modified') ?? '';
  assert.match(modified, HTTP_DATE);
  assert.equal(answer.header('accept-ranges'), 'bytes');
  const type = answer.header('x-svc-object-type');
  const offset = answer.header('x-svc-next-append-offset');
  assert.equal(type, offset === undefined ? undefined : 'Appendable');
  const metadata = answer.headerNames
    .filter((name) => name.startsWith(META))
    .map((name) => [name.slice(META.length), answer.header(name)]);
  const stored = Object.entries(STORED).map(([name, header]) => [name, answer.header(header)]);
  return {
    ...Object.fromEntries(stored),
    size: Number(answer.header('content-length')),
    etag: bare(answer.header('etag') ?? ''),
    lastModified: new Date(modified),
    metadata: Object.fromEntries(metadata),
    storageClass: answer.header('x-svc-storage-class') ?? '',
    digests: digestsIn(answer),
    appendOffset: offset === undefined ? undefined : Number(offset),
    range: rangeIn(answer),
    http: answer,
  };
}

/** 206 and Content-Range come together, and with the length of the range. */
function rangeIn(answer: Answer): ObjectDescription['range'] {
  const value = answer.header('content-range');
  assert.equal(value !== undefined, answer.status === 206);
  if (value === undefined) return undefined;
  const [, first, last, of] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(value) ?? [];
  const range = { first: Number(first), last: Number(last), of: Number(of) };
  assert.equal(answer.header('content-length'), String(range.last - range.first + 1), value);
  return range;
}
