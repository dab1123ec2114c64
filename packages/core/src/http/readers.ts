import { RawMetadata, RawValue } from '../actions/parameters/object-headers.js';
import { type ErrorCode, StorageError } from '../errors.js';
import { parseHttpDate } from './dates.js';
import type { RequestHeaders } from './headers.js';
import type { Query } from './query.js';

/*
 * Readers find the parameters of an action in a request and convert their text to values. The
 * action checks the values.
 */

/** The parts of a request that parameters are read from. */
export interface InputSource {
  readonly query: Query;
  readonly headers: RequestHeaders;
  /** The bucket's name; empty when the request is not about a bucket. */
  readonly bucket: string;
  /** The operation's parsed body, such as JSON. */
  readonly body?: unknown;
}

/** Reads one parameter; `undefined` if the request does not have it. */
export interface Reader<Given> {
  /** The parameter's name for the client. */
  readonly label: string;
  /**
   * The names of query parameters, exactly as written. A name that ends in `*` matches all that
   * start with the text before it.
   */
  readonly query?: readonly string[];
  /**
   * The error when a structure lacks a member or has a member of a wrong type. Default
   * InvalidArgument.
   */
  readonly malformed?: ErrorCode;
  /**
   * The names of headers, in lower case. A name that ends in `*` matches all that start with the
   * text before it.
   */
  readonly headers?: readonly string[];
  /** How the text becomes a value. */
  readonly parse?: Parse<unknown>;
  read(source: InputSource): Given;
}

export type Readers = Readonly<Record<string, Reader<unknown>>>;

/** Converts text to a value. Malformed text becomes a value that no action accepts. */
export type Parse<Given> = (text: string) => Given;

export const asItIs: Parse<string> = (text) => text;

export function query(name: string): Reader<string | undefined>;
export function query<Given>(name: string, parse: Parse<Given>): Reader<Given | undefined>;
export function query(name: string, parse: Parse<unknown> = asItIs): Reader<unknown> {
  return {
    label: `The query parameter ${name}`,
    query: [name],
    parse,
    read({ query: parameters }) {
      const found = parameters.get(name);
      return found === undefined ? undefined : parse(found);
    },
  };
}

/** A parameter of the action that the dialect does not support. */
export const notSupported: Reader<undefined> = { label: '', read: () => undefined };

/** Reads a header, which may have a second spelling. The two must not have different values. */
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
    parse,
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

/**
 * A parameter that is always present: without it, the action throws, or the route does not match.
 */
export const required = <Given>(reader: Reader<Given | undefined>) => reader as Reader<Given>;

/** All headers that start with the prefix, as user metadata. */
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

/** The value of a header that is stored: its bytes stay unchanged. */
export const raw: Parse<RawValue> = (text) => new RawValue(text);

/** An HTTP date. An invalid one counts as absent (RFC 9110 section 13.1.3). */
export const date: Parse<Date | undefined> = (text) => {
  const time = parseHttpDate(text);
  return time === undefined ? undefined : new Date(time);
};

/**
 * A date that guards a change. RFC 9110 section 13.1.4 says to ignore an invalid one, but then an
 * object that the client wants to protect would be replaced or deleted.
 */
export const strictDate: Parse<Date> = (text) => date(text) ?? (text as unknown as Date);

/** `true` or `false`, in upper or lower case. */
export const flag: Parse<boolean> = (text) => {
  const value = text.toLowerCase();
  if (value === 'true' || value === 'false') return value === 'true';
  return text as unknown as boolean;
};

/** Parameters with the same names in every dialect. */
export const uploadId = required(query('uploadId'));
export const partNumber = required(query('partNumber', wholeNumber));
