import { toBase64 } from '../engine/content/digests.js';
import type { HeaderPair, ObjectRecord } from '../engine/records/types.js';
import { StorageError } from '../errors.js';
import { MAX_METADATA_BYTES } from '../limits.js';
import { isPlainObject } from '../options.js';
import { httpDate } from './dates.js';
import {
  type Codec,
  type Field,
  header,
  type InputOf,
  isText,
  oneOf,
  query,
  Unfit,
} from './fields.js';
import { META } from './headers.js';

/** Control characters could split or poison a response; Node refuses to send them. */
const UNSENDABLE = /[\0-\x08\x0a-\x1f\x7f]/;

function sendable(value: string): string {
  if (UNSENDABLE.test(value)) throw new Unfit('text without control characters');
  return value;
}

/** Header values are kept as the bytes that came. A program's text becomes its UTF-8 bytes. */
const toWire = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
const fromWire = (value: string): string => Buffer.from(value, 'latin1').toString('utf8');

const headerValue: Codec<string> = {
  fromText: sendable,
  fromValue(value) {
    if (!isText(value)) throw new Unfit('well-formed text');
    return sendable(toWire(value));
  },
};
const queryValue: Codec<string> = {
  fromText: headerValue.fromValue,
  fromValue: headerValue.fromValue,
};

/** The headers that PutObject stores and GetObject gives back, with user metadata. */
export const storedHeaders = {
  contentType: header('content-type', headerValue),
  contentEncoding: header('content-encoding', headerValue),
  contentLanguage: header('content-language', headerValue),
  contentDisposition: header('content-disposition', headerValue),
  cacheControl: header('cache-control', headerValue),
  expires: header('expires', headerValue),
  metadata: userMetadata(),
};

/** GetObject, response-header override. */
export const responseOverrides = {
  responseContentType: query('responseContentType', queryValue),
  responseContentEncoding: query('responseContentEncoding', queryValue),
  responseContentLanguage: query('responseContentLanguage', queryValue),
  responseContentDisposition: query('responseContentDisposition', queryValue),
  responseCacheControl: query('responseCacheControl', queryValue),
  responseExpires: query('responseExpires', queryValue),
};

const anyClass = oneOf(
  'STANDARD',
  'STANDARD_IA',
  'COLD',
  'ARCHIVE',
  'MAZ_STANDARD',
  'MAZ_STANDARD_IA',
  'MAZ_COLD',
);
/** Clients of the interface expect that neither capitals nor blanks matter. */
export const storageClass: typeof anyClass = {
  fromText: (found) => anyClass.fromText(found.trim().toUpperCase() as typeof found),
  fromValue: anyClass.fromValue,
};

const DEFAULT_TYPE = 'application/octet-stream';

/** The record's form of the stored headers. */
export function headersOf(input: InputOf<typeof storedHeaders>): {
  readonly headers: readonly HeaderPair[];
  readonly metadata: readonly HeaderPair[];
} {
  const named: [string, string | undefined][] = [
    ['content-type', input.contentType ?? DEFAULT_TYPE],
    ['content-encoding', input.contentEncoding],
    ['content-language', input.contentLanguage],
    ['content-disposition', input.contentDisposition],
    ['cache-control', input.cacheControl],
    ['expires', input.expires],
  ];
  const headers = named.filter((pair): pair is [string, string] => pair[1] !== undefined);
  return { headers, metadata: input.metadata };
}

/**
 * The headers of GetObject and GetObjectMeta, apart from those of a range: what is stored, or what
 * the request wants instead. The interface shows type and next offset of appendable objects for
 * GetObjectMeta; its clients read them of GetObject too.
 */
export function describe(
  object: ObjectRecord,
  input: InputOf<typeof responseOverrides>,
): Record<string, string> {
  const headers: Record<string, string> = {
    etag: `"${object.etag}"`,
    'last-modified': httpDate(object.lastModified),
    'accept-ranges': 'bytes',
    'x-svc-storage-class': object.storageClass,
  };
  if (object.md5 !== undefined) headers['content-md5'] = toBase64(object.md5);
  if (object.crc32 !== undefined) headers['x-svc-content-crc32'] = String(object.crc32);
  for (const [name, value] of object.headers) headers[name] = value;
  for (const [name, value] of object.metadata) headers[META + name] = value;
  if (object.type === 'Appendable') {
    headers['x-svc-object-type'] = object.type;
    headers['x-svc-next-append-offset'] = String(object.size);
  }
  override(headers, input);
  return headers;
}

function override(headers: Record<string, string>, input: InputOf<typeof responseOverrides>): void {
  const set = (name: string, value: string | undefined) => {
    if (value !== undefined) headers[name] = value;
  };
  set('content-type', input.responseContentType);
  set('content-encoding', input.responseContentEncoding);
  set('content-language', input.responseContentLanguage);
  set('content-disposition', input.responseContentDisposition);
  set('cache-control', input.responseCacheControl);
  set('expires', input.responseExpires);
}

/** What an answer says of bytes that were written. */
export function written(
  etag: string,
  crc32: number | undefined,
  crc32c?: bigint | undefined,
): Record<string, string> {
  return {
    etag: `"${etag}"`,
    'content-md5': toBase64(etag),
    'x-svc-content-crc32': String(crc32),
    ...(crc32c === undefined ? undefined : { 'x-svc-content-crc32c': String(crc32c) }),
  };
}

/** A stored header as a program reads it. */
export const storedHeader = (object: ObjectRecord, name: string): string | undefined => {
  const pair = object.headers.find((candidate) => candidate[0] === name);
  return pair && fromWire(pair[1]);
};

export const metadataOf = (object: ObjectRecord): Readonly<Record<string, string>> =>
  Object.fromEntries(object.metadata.map(([name, value]) => [name, fromWire(value)]));

/** User metadata with other metadata on top of it. Throws MetadataTooLarge. */
export function onTop(
  below: readonly HeaderPair[],
  above: readonly HeaderPair[],
): readonly HeaderPair[] {
  const merged = [...new Map([...below, ...above])];
  return checkMetadata(merged.map(([name, value]) => [META + name, value]));
}

const TOKEN = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;

/** `x-svc-meta-*`: any suffix, names in lower case, at most 2 KB in all. */
function userMetadata(): Field<
  readonly HeaderPair[],
  Readonly<Record<string, string>> | undefined
> {
  return {
    names: { headers: [`${META}*`] },
    read({ headers }) {
      const pairs: HeaderPair[] = [];
      for (const name of headers.names()) {
        const value = name.startsWith(META) ? headers.get(name) : undefined;
        if (value !== undefined) pairs.push([name, value]);
      }
      return checkMetadata(pairs);
    },
    accept(given, called) {
      if (given === undefined) return [];
      if (!isPlainObject(given)) {
        throw new StorageError('InvalidArgument', `${called} must be an object of texts.`);
      }
      const pairs = Object.entries(given).map(([name, value]): Pair => {
        const bytes = isText(value) ? toWire(trimmed(value)) : undefined;
        return [META + name.toLowerCase(), bytes, `${called}.${name}`];
      });
      return checkMetadata(pairs);
    },
  };
}

/** As Node trims a header. A regular expression would look at many blanks again for each of them. */
function trimmed(text: string): string {
  const isBlank = (at: number) => text[at] === ' ' || text[at] === '\t';
  let [start, end] = [0, text.length];
  while (start < end && isBlank(start)) start++;
  while (start < end && isBlank(end - 1)) end--;
  return text.slice(start, end);
}

/** `called` is how the client spells the name. */
type Pair = readonly [name: string, value: string | undefined, called?: string];

function checkMetadata(pairs: readonly Pair[]): readonly HeaderPair[] {
  const checked: HeaderPair[] = [];
  let size = 0;
  for (const [name, value, called = name] of pairs) {
    if (!TOKEN.test(name) || name === META) {
      throw new StorageError(
        'InvalidArgument',
        `${called} is not a valid name: use letters, digits and hyphens.`,
      );
    }
    if (value === undefined || UNSENDABLE.test(value)) {
      const message = `${called} must be text without control characters.`;
      throw new StorageError('InvalidArgument', message);
    }
    size += name.length + value.length;
    checked.push([name.slice(META.length), value]);
  }
  if (size > MAX_METADATA_BYTES) throw new StorageError('MetadataTooLarge');
  if (new Set(checked.map(([name]) => name)).size < checked.length) {
    throw new StorageError('InvalidArgument', 'A metadata name was given more than once.');
  }
  return checked;
}
