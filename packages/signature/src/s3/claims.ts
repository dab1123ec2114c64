import type { SignedRequest } from '@bucketware/core/contracts';
import { SignatureError, type SignatureErrorCode } from '../errors.js';
import { MAX_SIGNED_HEADERS } from '../limits.js';
import { byBytes, HeaderFields, QueryFields } from '../request.js';
import { basicTimestamp, MAX_SKEW, readBasicTimestamp } from '../timestamps.js';
import { ALGORITHM, type Scope, SERVICE, TERMINATOR } from './scope.js';

/** What a request or form states about its signature. */
export interface Claims {
  readonly accessKey: string;
  readonly scope: Scope;
  /** `20130524T000000Z` */
  readonly timestamp: string;
  readonly signature: string;
  readonly sessionToken: string | undefined;
}

export interface RequestClaims extends Claims {
  /** In lower case, sorted, with `host`. */
  readonly signedHeaders: readonly string[];
}

/** How long a presigned URL may be valid: seven days, in seconds. */
export const MAX_EXPIRES = 604_800;

/** Determines how a request is signed. Throws if it is signed in more than one way. */
export function signatureOf(
  headers: HeaderFields,
  query: QueryFields,
): 'header' | 'query' | undefined {
  const inHeader = isInHeader(headers);
  const inQuery = QUERY_SIGNATURE.some((name) => query.has(name));
  const isOld = OLD_QUERY_SIGNATURE.some((name) => query.has(name));
  if (inHeader && (inQuery || isOld)) {
    const message =
      'Sign a request in the Authorization header or in the query string, not in both.';
    throw new SignatureError('InvalidArgument', message);
  }
  if (isOld) throw unsupported();
  return inHeader ? 'header' : inQuery ? 'query' : undefined;
}

export function carriesSignature(request: SignedRequest): boolean {
  const query = new QueryFields(request.rawQuery);
  const names = [...QUERY_SIGNATURE, ...OLD_QUERY_SIGNATURE];
  return isInHeader(new HeaderFields(request)) || names.some((name) => query.has(name));
}

/** Other schemes of Authorization belong to the app's own authentication. */
const isInHeader = (headers: HeaderFields): boolean =>
  headers.all('authorization').some((value) => /^aws/i.test(value));

const QUERY_SIGNATURE = ['x-amz-algorithm', 'x-amz-credential', 'x-amz-signature'];
/** Query parameters of Signature Version 2. */
const OLD_QUERY_SIGNATURE = ['awsaccesskeyid', 'signature'];

const unsupported = () =>
  new SignatureError(
    'InvalidRequest',
    `Sign requests and links with Signature Version 4 (${ALGORITHM}). Some clients need the setting ` +
      'signature_version = s3v4 for that.',
  );

/** `AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…` */
export function headerClaims(headers: HeaderFields, _: QueryFields, now: number): RequestClaims {
  const code = 'AuthorizationHeaderMalformed';
  const text = headers.one('authorization') ?? '';
  if (!STARTS.test(text)) throw unsupported();
  const parts = text.slice(ALGORITHM.length).split(',', 4);
  const credential = fieldOf(parts, 'Credential=');
  const names = fieldOf(parts, 'SignedHeaders=');
  const signature = fieldOf(parts, 'Signature=');
  if (parts.length !== 3 || credential === '' || names === '' || signature === '') {
    const message = 'Authorization needs Credential, SignedHeaders and Signature, once each.';
    throw new SignatureError(code, message);
  }
  const timestamp = headerTimestamp(headers);
  requireNear(timestamp.time, now);
  const { accessKey, scope } = readCredential(credential, timestamp.text, code);
  return {
    accessKey,
    scope,
    signedHeaders: readSignedHeaders(names, code),
    timestamp: timestamp.text,
    signature,
    sessionToken: headers.one('x-amz-security-token'),
  };
}

const STARTS = new RegExp(`^${ALGORITHM}\\s`);

/** The value of a field. Empty if the field is missing or contains white space. */
function fieldOf(parts: readonly string[], name: string): string {
  for (const part of parts) {
    const field = part.trim();
    if (field.startsWith(name)) return /\s/.test(field) ? '' : field.slice(name.length);
  }
  return '';
}

/** `x-amz-date`, or else `Date`. */
function headerTimestamp(headers: HeaderFields): { readonly text: string; readonly time: number } {
  const text = headers.one('x-amz-date') ?? fromDate(headers.one('date') ?? '');
  const time = readBasicTimestamp(text);
  if (time === undefined) {
    const message = 'A signed request needs the header x-amz-date, such as 20130524T000000Z.';
    throw new SignatureError('AccessDenied', message);
  }
  return { text, time };
}

function fromDate(text: string): string {
  const date = Date.parse(text);
  return Number.isNaN(date) ? '' : basicTimestamp(date);
}

/**
 * `?X-Amz-Algorithm=…&X-Amz-Credential=…&X-Amz-Date=…&X-Amz-Expires=…&X-Amz-SignedHeaders=…&X-Amz-Signature=…`
 */
export function queryClaims(headers: HeaderFields, query: QueryFields, now: number): RequestClaims {
  const code = 'AuthorizationQueryParametersError';
  const required = (name: string): string => {
    const value = query.one(name.toLowerCase());
    if (value) return value;
    throw new SignatureError(code, `A presigned URL needs the query parameter ${name}.`);
  };
  if (required('X-Amz-Algorithm') !== ALGORITHM) throw unsupported();
  const timestamp = required('X-Amz-Date');
  const time = readBasicTimestamp(timestamp);
  if (time === undefined) {
    throw new SignatureError(code, 'X-Amz-Date must be a time such as 20130524T000000Z.');
  }
  const claims = {
    ...readCredential(required('X-Amz-Credential'), timestamp, code),
    signedHeaders: readSignedHeaders(required('X-Amz-SignedHeaders'), code),
    timestamp,
    signature: required('X-Amz-Signature'),
    sessionToken: query.one('x-amz-security-token') ?? headers.one('x-amz-security-token'),
  };
  requireNotExpired(time, required('X-Amz-Expires'), now);
  return claims;
}

/** `<access key>/<date>/<region>/s3/aws4_request`. The date must be the day of the timestamp. */
export function readCredential(
  credential: string,
  timestamp: string,
  code: SignatureErrorCode,
): Pick<Claims, 'accessKey' | 'scope'> {
  const parts = credential.split('/');
  const [date = '', region = '', service, terminator] = parts.slice(-4);
  const accessKey = parts.slice(0, -4).join('/');
  if (accessKey === '' || accessKey.length > 256 || region === '' || terminator !== TERMINATOR) {
    const message = 'The credential must be <access key>/<date>/<region>/s3/aws4_request.';
    throw new SignatureError(code, message);
  }
  if (service !== SERVICE) {
    throw new SignatureError(code, 'The service of the credential must be s3.');
  }
  if (date !== timestamp.slice(0, 8)) {
    throw new SignatureError(code, 'The date of the credential must be the day of the request.');
  }
  return { accessKey, scope: { date, region } };
}

function readSignedHeaders(text: string, code: SignatureErrorCode): readonly string[] {
  const names = text.split(';', MAX_SIGNED_HEADERS + 1);
  if (names.length > MAX_SIGNED_HEADERS) {
    throw new SignatureError(code, 'There are too many signed headers.');
  }
  const sorted = names.every(
    (name, at) =>
      /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) &&
      (at === 0 || byBytes(names[at - 1] as string, name) < 0),
  );
  if (!sorted) {
    const message = 'The signed headers must be in lower case, sorted, each once.';
    throw new SignatureError(code, message);
  }
  if (!names.includes('host')) {
    throw new SignatureError(code, 'The header host must be signed.');
  }
  return names;
}

function requireNear(time: number, now: number): void {
  if (Math.abs(now - time) <= MAX_SKEW) return;
  const message = 'The clocks of client and server differ by more than 15 minutes.';
  throw new SignatureError('RequestTimeTooSkewed', message, {
    RequestTime: new Date(time).toISOString(),
    ServerTime: new Date(now).toISOString(),
    MaxAllowedSkewMilliseconds: `${MAX_SKEW}`,
  });
}

function requireNotExpired(time: number, expires: string, now: number): void {
  const seconds = /^\d{1,6}$/.test(expires) ? Number(expires) : 0;
  if (seconds < 1 || seconds > MAX_EXPIRES) {
    const message = `X-Amz-Expires must be a number of seconds from 1 to ${MAX_EXPIRES}.`;
    throw new SignatureError('AccessDenied', message);
  }
  if (now < time - MAX_SKEW) throw new SignatureError('AccessDenied', 'The URL is not valid yet.');
  if (now > time + seconds * 1000) {
    throw new SignatureError('AccessDenied', 'The URL has expired. Request a new one.', {
      Expires: new Date(time + seconds * 1000).toISOString(),
      ServerTime: new Date(now).toISOString(),
    });
  }
}
