import { RawMetadata, RawValue } from '../actions/parameters/object-headers.js';
import { type ErrorCode, StorageError } from '../errors.js';
import { parseHttpDate } from './dates.js';
import type { RequestHeaders } from './headers.js';
import type { Query } from './query.js';

/*
 * Where the parameters of an action stand in a request. A reader finds the text and says what kind of
 * value it is; what the value may be is for the action to check.
 */

/** The parts of a request that parameters are read from. */
export interface InputSource {
  readonly query: Query;
  readonly headers: RequestHeaders;
  /** The bucket's name; empty when the request is about no bucket. */
  readonly bucket: string;
  /** What the operation has made of a body, such as parsed JSON. */
  readonly body?: unknown;
}

/** Reads one parameter. Undefined: the request does not have it. */
export interface Reader<Given> {
  /** What the client calls it. */
  readonly label: string;
  /** Query parameters, exactly as they are written. One that ends in `*` is all that begin so. */
  readonly query?: readonly string[];
  /**
   * What the dialect answers when a structure lacks a member or has one of a wrong type. Default
   * InvalidArgument.
   */
  readonly malformed?: ErrorCode;
  /** Headers in lower case. One that ends in `*` is every header that begins so. */
  readonly headers?: readonly string[];
  read(source: InputSource): Given;
}

export type Readers = Readonly<Record<string, Reader<unknown>>>;

/** Makes a value of text. What has no such form becomes a value that no action accepts. */
export type Parse<Given> = (text: string) => Given;

const asItIs: Parse<string> = (text) => text;

export function query(name: string): Reader<string | undefined>;
export function query<Given>(name: string, parse: Parse<Given>): Reader<Given | undefined>;
export function query(name: string, parse: Parse<unknown> = asItIs): Reader<unknown> {
  return {
    label: `The query parameter ${name}`,
    query: [name],
    read({ query: parameters }) {
      const found = parameters.get(name);
      return found === undefined ? undefined : parse(found);
    },
  };
}

/** A parameter of the action that the dialect has no words for. */
export const unspoken: Reader<undefined> = { label: '', read: () => undefined };

/** A header may have a second spelling. Both must not say two things. */
export function header(name: string): Reader<string | undefined>;
export function header<Given>(
  name: string,
  parse: Parse<Given>,
  alias?: string,
): Reader<Given | undefined>;
export function header(
  name: string,
  parse: Parse<unknown> = asItIs,
  alias?: string,
): Reader<unknown> {
  return {
    label: `The header ${name}`,
    headers: alias === undefined ? [name] : [name, alias],
    read({ headers }) {
      const found = headers.get(name);
      const other = alias === undefined ? undefined : headers.get(alias);
      if (found !== undefined && other !== undefined && found !== other) {
        const message = `The headers ${name} and ${alias} differ.`;
        throw new StorageError('InvalidHTTPRequest', message);
      }
      const text = found ?? other;
      return text === undefined ? undefined : parse(text);
    },
  };
}

/** All headers that begin with the prefix, as user metadata. */
export const metadata = (prefix: string): Reader<RawMetadata | undefined> => ({
  label: `The headers ${prefix}*`,
  headers: [`${prefix}*`],
  read({ headers }) {
    const pairs: [string, string][] = [];
    for (const name of headers.names()) {
      const value = name.startsWith(prefix) ? headers.get(name) : undefined;
      if (value !== undefined) pairs.push([name.slice(prefix.length), value]);
    }
    return pairs.length === 0 ? undefined : new RawMetadata(pairs, prefix);
  },
});

const DIGITS = /^(0|[1-9]\d{0,15})$/;

/** Plain decimal digits: no sign, exponent or `0x`. */
export const wholeNumber: Parse<number> = (text) => (DIGITS.test(text) ? Number(text) : Number.NaN);

/** The value of a header that is stored: its bytes stay as they came. */
export const raw: Parse<RawValue> = (text) => new RawValue(text);

/** A parameter of a query that stands for such a header. It is text in UTF-8. */
export const lowerCase: Parse<string> = (text) => text.toLowerCase();

/** An HTTP date. One that cannot be read counts as absent (RFC 9110 section 13.1.3). */
export const date: Parse<Date | undefined> = (text) => {
  const time = parseHttpDate(text);
  return time === undefined ? undefined : new Date(time);
};

/** `true` or `false` in any capitals. */
export const flag: Parse<boolean> = (text) => {
  const value = text.toLowerCase();
  if (value === 'true' || value === 'false') return value === 'true';
  return text as unknown as boolean;
};
