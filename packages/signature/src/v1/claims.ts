import { SignatureError } from '../errors.js';
import { MAX_SIGNED_HEADERS } from '../limits.js';
import type { HeaderFields, QueryFields } from '../request.js';
import { MAX_SKEW, readExtendedTimestamp } from '../timestamps.js';
import { NEVER } from './canonical.js';

export interface Claims {
  readonly accessKey: string;
  /** The first four fields, which are signed. */
  readonly authPrefix: string;
  /** The names in lower case. Empty: the default headers. */
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** In seconds, or {@link NEVER}. */
  readonly expires: number;
}

/** The text of the signature in the header or query, or `undefined` if there is none. */
export function authorizationOf(headers: HeaderFields, query: QueryFields): string | undefined {
  const inHeader = headers.one('authorization');
  const inQuery = query.one('authorization');
  if (inHeader !== undefined && inQuery !== undefined) {
    throw malformed('Sign a request in its header or in its query, not in both.');
  }
  return inHeader ?? inQuery;
}

/** The longest validity, in seconds: the largest number that a signature has enough digits for. */
export const MAX_EXPIRES = 9_999_999_999;

const TEXT = /^([^/]+)\/([^/]+)\/([^/]+)\/(-?\d{1,10})\/([^/]*)\/([0-9a-f]{64})$/;

/** `<scheme>/<access key>/<timestamp>/<seconds>/<signed headers>/<signature>` */
export function readClaims(text: string, expectedScheme: string): Claims {
  const [, scheme, accessKey = '', timestamp = '', seconds, signedHeaders = '', signature = ''] =
    TEXT.exec(text) ?? [];
  const time = readExtendedTimestamp(timestamp);
  const expires = Number(seconds);
  if (scheme !== expectedScheme || time === undefined || !(expires > 0 || expires === NEVER)) {
    throw malformed(
      `Authorization must be ${expectedScheme}/<access key>/<time such as 2014-06-13T05:57:36Z>/` +
        '<seconds>/<signed headers>/<signature>.',
    );
  }
  const names =
    signedHeaders === '' ? [] : signedHeaders.toLowerCase().split(';', MAX_SIGNED_HEADERS + 1);
  if (names.length > MAX_SIGNED_HEADERS) throw malformed('There are too many signed headers.');
  // Otherwise a request for one host name, and so for one bucket, could be sent to another.
  if (names.length > 0 && !names.includes('host'))
    throw malformed('The header host must be signed.');
  const authPrefix = `${scheme}/${accessKey}/${timestamp}/${seconds}`;
  return { accessKey, authPrefix, signedHeaders: names, signature, time, expires };
}

export function requireValidAt(now: number, { time, expires }: Claims): void {
  if (now < time - MAX_SKEW) {
    const message = 'The request was signed in the future. Check the clock of the client.';
    throw new SignatureError('RequestTimeTooSkewed', message);
  }
  if (expires !== NEVER && now > time + expires * 1000) {
    throw new SignatureError(
      'RequestExpired',
      'The signature has expired. Sign the request again.',
    );
  }
}

const malformed = (message: string) => new SignatureError('InvalidHTTPAuthHeader', message);
