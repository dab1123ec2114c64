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
import { bare, encoded } from './connection.js';

/** How S3 spells parameters in headers, and how results are read from them. */

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

const ALL_USERS = 'uri="http://acs.amazonaws.com/groups/global/AllUsers"';
const idsOf = (ids: readonly string[]): string =>
  ids.map((id) => (id === '*' ? ALL_USERS : `id="${id}"`)).join(', ');

export const aclHeaders = ({ acl, grantRead, grantFullControl }: AclOptions) => ({
  ...(acl !== undefined && { 'x-amz-acl': acl }),
  ...(grantRead && { 'x-amz-grant-read': idsOf(grantRead) }),
  ...(grantFullControl && { 'x-amz-grant-full-control': idsOf(grantFullControl) }),
});

export const objectHeaders = (options: ObjectOptions = {}): OutgoingHttpHeaders => ({
  ...renamed(STORED, options),
  ...Object.fromEntries(
    Object.entries(options.metadata ?? {}).map(([name, value]) => [`x-amz-meta-${name}`, value]),
  ),
  ...(options.storageClass !== undefined && { 'x-amz-storage-class': options.storageClass }),
  ...aclHeaders(options),
});

/** A checksum as S3 writes it. */
function crc32Text(decimal: string): string {
  if (!/^\d{1,10}$/.test(decimal) || Number(decimal) >= 2 ** 32) return decimal;
  return Buffer.from(Number(decimal).toString(16).padStart(8, '0'), 'hex').toString('base64');
}

export const digestHeaders = ({ md5, sha256, crc32 }: Digests = {}): OutgoingHttpHeaders => ({
  ...(md5 !== undefined && { 'content-md5': Buffer.from(md5, 'hex').toString('base64') }),
  ...(sha256 !== undefined && { 'x-amz-content-sha256': sha256 }),
  ...(crc32 !== undefined && { 'x-amz-checksum-crc32': crc32Text(crc32) }),
});

export const conditionHeaders = (conditions: Conditions = {}): OutgoingHttpHeaders =>
  renamed(CONDITIONS, conditions);

export const sourceHeaders = (
  { bucket, key }: ObjectName,
  conditions: Conditions = {},
): OutgoingHttpHeaders => ({
  'x-amz-copy-source': `/${bucket}/${encoded(key)}`,
  ...renamed(CONDITIONS, conditions, 'x-amz-copy-source-'),
});

export const getHeaders = ({ range, ifRange, conditions }: GetOptions = {}) => ({
  ...(range !== undefined && { range }),
  ...(ifRange !== undefined && { 'if-range': ifRange }),
  ...conditionHeaders(conditions),
});

export const overrideQuery = (overrides: StoredHeaders = {}): Record<string, string> =>
  renamed(STORED, overrides, 'response-');

function digestsIn(answer: Answer): Digests {
  const crc32 = answer.header('x-amz-checksum-crc32');
  const sum = crc32 === undefined ? undefined : Buffer.from(crc32, 'base64').readUInt32BE();
  return { crc32: sum === undefined ? undefined : String(sum) };
}

/** What is answered for an object or part that was written. */
export const writtenIn = (answer: Answer): Written => ({
  etag: bare(answer.header('etag')),
  digests: digestsIn(answer),
  http: answer,
});

const META = 'x-amz-meta-';

/** What the headers of GET and HEAD say. */
export function descriptionIn(answer: Answer): ObjectDescription {
  assert.equal(answer.header('accept-ranges'), 'bytes');
  const metadata = answer.headerNames
    .filter((name) => name.startsWith(META))
    .map((name) => [name.slice(META.length), answer.header(name)]);
  const stored = Object.entries(STORED).map(([name, header]) => [name, answer.header(header)]);
  return {
    ...Object.fromEntries(stored),
    size: Number(answer.header('content-length')),
    etag: bare(answer.header('etag')),
    lastModified: new Date(answer.header('last-modified') ?? ''),
    metadata: Object.fromEntries(metadata),
    storageClass: answer.header('x-amz-storage-class') ?? 'STANDARD',
    digests: digestsIn(answer),
    appendOffset: undefined,
    range: rangeIn(answer),
    http: answer,
  };
}

function rangeIn(answer: Answer): ObjectDescription['range'] {
  const value = answer.header('content-range');
  assert.equal(value !== undefined, answer.status === 206);
  if (value === undefined) return undefined;
  const [, first, last, of] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(value) ?? [];
  return { first: Number(first), last: Number(last), of: Number(of) };
}
