import type { HeaderPair } from '../../engine/records/content.js';
import type { ObjectRecord } from '../../engine/records/objects.js';
import { StorageError } from '../../errors.js';
import { MAX_METADATA_BYTES } from '../../limits.js';
import { isPlainObject } from '../../options.js';
import {
  type InputOf,
  InvalidValue,
  isText,
  oneOf,
  type Parameter,
  parameter,
} from './parameter.js';

/** Control characters could split or poison a response; Node refuses to send them. */
const UNSENDABLE = /[\0-\x08\x0a-\x1f\x7f]/;

function sendable(value: string): string {
  if (UNSENDABLE.test(value)) throw new InvalidValue('a string without control characters');
  return value;
}

/** A header's value as the received bytes, one character per byte. Programs pass text instead. */
export class RawValue {
  readonly latin1: string;

  constructor(latin1: string) {
    this.latin1 = latin1;
  }
}

/** Values are stored as received bytes. A program's text becomes its UTF-8 bytes. */
const toWire = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
const fromWire = (value: string): string => Buffer.from(value, 'latin1').toString('utf8');

/** A value that a response header may have. */
export const headerValue = parameter<string, string | RawValue>((value) => {
  if (value instanceof RawValue) return sendable(value.latin1);
  if (!isText(value)) throw new InvalidValue('a well-formed string');
  return sendable(toWire(value));
});

export const storageClass = oneOf(
  'STANDARD',
  'STANDARD_IA',
  'COLD',
  'ARCHIVE',
  'MAZ_STANDARD',
  'MAZ_STANDARD_IA',
  'MAZ_COLD',
);

/** The headers and user metadata that are stored with an object and returned with it. */
export const storedHeaders = {
  contentType: headerValue,
  contentEncoding: headerValue,
  contentLanguage: headerValue,
  contentDisposition: headerValue,
  cacheControl: headerValue,
  expires: headerValue,
  metadata: userMetadata(),
};

const DEFAULT_TYPE = 'application/octet-stream';

/** The stored headers in the form of the record. */
export function headersOf(input: InputOf<typeof storedHeaders>): {
  readonly headers: readonly HeaderPair[];
  readonly metadata: readonly HeaderPair[];
} {
  const headers: HeaderPair[] = [['content-type', input.contentType ?? DEFAULT_TYPE]];
  const add = (name: string, value: string | undefined) => {
    if (value !== undefined) headers.push([name, value]);
  };
  add('content-encoding', input.contentEncoding);
  add('content-language', input.contentLanguage);
  add('content-disposition', input.contentDisposition);
  add('cache-control', input.cacheControl);
  add('expires', input.expires);
  return { headers, metadata: input.metadata };
}

/** A stored header in the form in which a program reads it. */
export const storedHeader = (object: ObjectRecord, name: string): string | undefined => {
  const pair = object.headers.find((candidate) => candidate[0] === name);
  return pair && fromWire(pair[1]);
};

export const metadataOf = (object: ObjectRecord): Readonly<Record<string, string>> =>
  Object.fromEntries(object.metadata.map(([name, value]) => [name, fromWire(value)]));

/**
 * Adds user metadata to other metadata. If both have a name, the value in `above` wins. Throws
 * MetadataTooLarge.
 */
export const onTop = (
  below: readonly HeaderPair[],
  above: readonly HeaderPair[],
): readonly HeaderPair[] =>
  above.length === 0 ? below : checkMetadata([...new Map([...below, ...above])]);

/** User metadata as the received bytes. In the request, `prefix` precedes the names. */
export class RawMetadata {
  readonly pairs: readonly HeaderPair[];
  readonly prefix: string;

  constructor(pairs: readonly HeaderPair[], prefix: string) {
    this.pairs = pairs;
    this.prefix = prefix;
  }
}

const NO_METADATA: readonly HeaderPair[] = [];

/** Names and values of at most 2 KB in total. Names are converted to lower case. */
function userMetadata(): Parameter<
  readonly HeaderPair[],
  Readonly<Record<string, string>> | RawMetadata | undefined
> {
  return {
    accept(given, called) {
      if (given === undefined) return NO_METADATA;
      if (given instanceof RawMetadata) {
        return checkMetadata(given.pairs, (name) => given.prefix + name);
      }
      if (!isPlainObject(given)) {
        throw new StorageError('InvalidArgument', `${called} must be an object of strings.`);
      }
      const names = new Map(Object.keys(given).map((name) => [name.toLowerCase(), name]));
      const pairs = Object.entries(given).map(
        ([name, value]) =>
          [name.toLowerCase(), isText(value) ? toWire(trimmed(value)) : undefined] as const,
      );
      return checkMetadata(pairs, (name) => `${called}.${names.get(name)}`);
    },
  };
}

/**
 * Trims a value as Node trims a header. With many spaces, a regular expression would take quadratic
 * time.
 */
function trimmed(text: string): string {
  const isBlank = (at: number) => text[at] === ' ' || text[at] === '\t';
  let [start, end] = [0, text.length];
  while (start < end && isBlank(start)) start++;
  while (start < end && isBlank(end - 1)) end--;
  return text.slice(start, end);
}

const TOKEN = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;

/** The size of each name includes the 11 bytes that precede it in a header: `x-svc-meta-`. */
const NAME_BYTES = 11;

function checkMetadata(
  pairs: readonly (readonly [name: string, value: string | undefined])[],
  calledOf = (name: string) => name,
): readonly HeaderPair[] {
  const checked: HeaderPair[] = [];
  let size = 0;
  for (const [name, value] of pairs) {
    if (!TOKEN.test(name)) {
      const message = `${calledOf(name)} is not a valid name: use letters, digits and hyphens.`;
      throw new StorageError('InvalidArgument', message);
    }
    if (value === undefined || UNSENDABLE.test(value)) {
      const message = `${calledOf(name)} must be a string without control characters.`;
      throw new StorageError('InvalidArgument', message);
    }
    size += NAME_BYTES + name.length + value.length;
    checked.push([name, value]);
  }
  if (size > MAX_METADATA_BYTES) throw new StorageError('MetadataTooLarge');
  if (new Set(checked.map(([name]) => name)).size < checked.length) {
    throw new StorageError('InvalidArgument', 'A metadata name was given more than once.');
  }
  return checked;
}
