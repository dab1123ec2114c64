/** An error of the SDK. */
interface SdkError extends Error {
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: { readonly statusCode?: number };
}

/**
 * The meaning of a failed attempt. `refused`: trying again does not help. `busy`: nothing happened,
 * and the next attempt may succeed. `unknown`: the next attempt may succeed, but this one may still
 * take effect.
 */
export type Outcome = 'refused' | 'busy' | 'unknown';

/** An attempt that took too long. */
export class NoResponseError extends Error {
  override readonly name = 'NoResponseError';

  constructor(limit: number) {
    super(`There was no response within ${Math.round(limit)} ms.`);
  }
}

/** The store's error codes that mean that nothing happened, but another attempt may succeed. */
const BUSY = [
  ...['RequestTimeout', 'RequestTimeTooSkewed', 'SlowDown', 'Throttling', 'TooManyRequests'],
  ...['ServiceUnavailable', 'ConditionalRequestConflict', 'OperationAborted'],
];

/** Error codes of connections that failed before the request was sent. */
const NOT_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

/** The status of the response, if there was one. */
export const statusOf = (error: unknown): number | undefined => {
  const { $metadata, $response } = error as Partial<SdkError>;
  return $metadata?.httpStatusCode ?? $response?.statusCode;
};

export function outcomeOf(error: unknown): Outcome {
  if (error instanceof NoResponseError) return 'unknown';
  const { name, code } = error as SdkError;
  const status = statusOf(error);
  if (status !== undefined) {
    if (BUSY.includes(name)) return 'busy';
    // Without such a code, a 5xx or 429 may come from a proxy while the store still processes the
    // request, and an unreadable 2xx says nothing about the outcome.
    return status >= 500 || status === 429 || status < 300 ? 'unknown' : 'refused';
  }
  if (code === undefined) return 'refused';
  return NOT_SENT.includes(code) ? 'busy' : 'unknown';
}

/** System error codes for the stores' codes that mean a full quota or disk. */
const CODES: Readonly<Record<string, string>> = {
  QuotaExceeded: 'EDQUOT',
  InsufficientStorage: 'ENOSPC',
  XMinioStorageFull: 'ENOSPC',
};

const CREDENTIALS =
  'The store does not accept the credentials. They come from the environment, such as ' +
  'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or from the usual files of AWS.';
const RIGHTS =
  'The credentials need s3:GetObject, s3:PutObject, s3:DeleteObject and s3:AbortMultipartUpload for ' +
  'the prefix, and s3:ListBucket for the bucket. Or the bucket belongs to another account.';
const REGION = 'The bucket is in another region. Set the region in the URL.';

const HINTS: Readonly<Record<string, string>> = {
  NoSuchBucket: 'There is no such bucket. Create it, or correct the URL.',
  AccessDenied: RIGHTS,
  InvalidAccessKeyId: CREDENTIALS,
  SignatureDoesNotMatch: CREDENTIALS,
  InvalidToken: CREDENTIALS,
  ExpiredToken: CREDENTIALS,
  CredentialsProviderError: CREDENTIALS,
  PermanentRedirect: REGION,
  AuthorizationHeaderMalformed: REGION,
  IllegalLocationConstraintException: REGION,
};

/** A request that failed, after all attempts that made sense. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly operation: string;
  /** The store's error code. `undefined`: the store did not respond. */
  readonly refusal: string | undefined;
  /** Whether some attempt may still take effect. */
  readonly unsettled: boolean;
  /** A system error code. Callers check for `EHOSTDOWN`, `ENOSPC` and `EDQUOT`. */
  readonly code?: string;

  constructor(operation: string, place: string, cause: unknown, unsettled: boolean) {
    const { name, message } = cause as Error;
    const isRefused = outcomeOf(cause) === 'refused';
    const what = isRefused ? `was refused: ${name}` : 'got no usable response';
    const hint = HINTS[name] ?? (message === '' ? 'No details were given.' : message);
    super(`${operation} in ${place} ${what}. ${hint}`, { cause });
    this.operation = operation;
    this.refusal = statusOf(cause) === undefined ? undefined : name;
    this.unsettled = unsettled;
    const code = isRefused ? CODES[name] : 'EHOSTDOWN';
    if (code !== undefined) this.code = code;
  }
}

/** Whether the store refused a request with one of these codes. */
export const isRefusal = (error: unknown, ...names: readonly string[]): error is RequestError =>
  error instanceof RequestError && error.refusal !== undefined && names.includes(error.refusal);
